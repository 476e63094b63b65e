const PURPOSES = 'https://pdpp.dev/purpose/'

/** The purpose of a client that sends no details: context for a personal assistant. */
export const AGENT_CONTEXT = `${PURPOSES}agent_context`
/** The only purpose that needs a separate affirmative act. */
export const AI_TRAINING = `${PURPOSES}ai_training`

const LABELS: Readonly<Record<string, string>> = {
  [`${PURPOSES}personalization`]: 'to fit the app to you',
  [`${PURPOSES}analytics`]: 'to give you insights',
  [`${PURPOSES}export`]: 'to take data out for your own use',
  [AGENT_CONTEXT]: 'as context for your AI assistant',
  [`${PURPOSES}research`]: 'for academic or market research',
  [AI_TRAINING]: 'to train AI models',
}

/**
 * A purpose in words: what a registered code means, and the client's description in quotation marks. A code that is not
 * registered is told if there is no description.
 */
export function purposeText(purpose_code: string, purpose_description: string | null = null): string {
  const label = LABELS[purpose_code]
  if (!purpose_description) return label ?? purpose_code
  return `${label ? `${label}: ` : ''}“${purpose_description}”`
}

const DURATION = /^P(?=\d|T\d)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(?:\.\d+)?S)?)?$/
const UNITS = ['year', 'month', 'week', 'day', null, 'hour', 'minute', 'second']

/** Whether a text is an ISO 8601 duration. */
export function isDuration(text: string): boolean {
  return text.length <= 64 && DURATION.test(text)
}

/** An ISO 8601 duration in words: `P1M15D` is "1 month and 15 days". */
export function durationText(duration: string): string {
  const parts = (DURATION.exec(duration) ?? []).slice(1).flatMap((part, index) => {
    const unit = UNITS[index]
    const amount = Number.parseFloat(part ?? '')
    return unit && !Number.isNaN(amount) ? [`${amount} ${unit}${amount === 1 ? '' : 's'}`] : []
  })
  const last = parts.pop() ?? duration
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}
