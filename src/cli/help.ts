import { settingsOf } from './arguments.ts'
import type { Command } from './command.ts'
import { summaries, summariesUnder, summaryOf } from './commands.ts'

/** What `footnote` alone prints. */
export function overview(): string {
  return `Footnote lets AI assistants read exactly what you grant of your own data.\n\n${listing(summaries())}`
}

export function listing(commands: [name: string, summary: string][]): string {
  return `${columns(commands).join('\n')}\n\nHelp for a command: footnote COMMAND --help\n`
}

function columns(rows: [name: string, text: string][]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)
}

export function helpOf(command: Command): string {
  const settings = columns(settingsOf(command).map(({ flag, env, summary }) => [flag, `${summary} [${env}]`]))
  const examples = command.examples.map(example => `  ${example}`)
  const under = columns(summariesUnder(command.name))
  const more = under.length === 0 ? '' : `Commands:\n${under.join('\n')}\n\n`
  return `${summaryOf(command)}\n\nUsage: ${command.usage}\n\n${more}Settings:\n${settings.join('\n')}\n\nExamples:\n${examples.join('\n')}\n`
}

const ROW = /^ {2}\S.*? {2,}(?=\S)/

/** Help for a narrow terminal: the texts of its columns are broken at words, and stay in their column. */
export function folded(help: string, width: number): string {
  return help
    .split('\n')
    .flatMap(line => {
      const indent = ROW.exec(line)?.[0].length
      if (indent === undefined || line.length <= width || indent > width / 2) return [line]
      const lines = [line.slice(0, indent)]
      for (const word of line.slice(indent).split(' ')) {
        const last = lines.at(-1) ?? ''
        if (last.length === indent) lines[lines.length - 1] = last + word
        else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
        else lines.push(' '.repeat(indent) + word)
      }
      return lines
    })
    .join('\n')
}
