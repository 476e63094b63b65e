import type { Asker } from './channel.ts'

/** What schema says of a stream: its name, and which fields are its sender and its time. */
export interface Learned {
  stream: string
  sender: string
  time: string
}

/** Reads the schema as a model would: the stream of mail, its field with a role that can be grouped. */
export async function learnMail(asker: Asker): Promise<Learned | null> {
  const { body } = await asker.ask('schema', { stream: 'emails' })
  const flags = [...body.matchAll(/"?(\w+)"?: ?"?(t=[^"\n]*)/g)].map(([, field = '', told = '']) => ({
    field,
    told,
  }))
  const sender = flags.find(({ told }) => / actor\b/.test(told) && /a=\S*group_by(?!_)/.test(told))?.field
  const time = flags.find(({ told }) => / event-time\b/.test(told) && /group_by_time/.test(told))?.field
  return sender === undefined || time === undefined ? null : { stream: 'emails', sender, time }
}
