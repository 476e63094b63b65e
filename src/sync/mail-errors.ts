import type { ImapFlowError } from 'imapflow'
import { CodedError } from '../model/errors.ts'
import type { MailAddress } from './address.ts'

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO|STARTTLS)/
const TOO_LARGE = ['LineTooLarge', 'LiteralTooLarge', 'ResponseTooLarge', 'MAX_IMAP_NESTING_REACHED']
const SILENT = ['ETIMEDOUT', 'ETIMEOUT', 'CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT']
const MOST_TEXT = 200

/** What a failure of the mail server means for the owner: what happened, then what to do. */
export function mailError(error: unknown, address: MailAddress): CodedError {
  if (error instanceof CodedError) return error
  const failure = error as ImapFlowError
  const { code = '' } = failure
  const { host, port, user } = address
  const server = `${host}:${port}`
  const said = saidBy(failure)
  const coded = (
    name: 'mail_server_unreachable' | 'mail_server_untrusted' | 'mail_server_failed',
    text: string,
  ) => new CodedError(name, text, {}, error)
  if (failure.authenticationFailed) {
    const message = `${server} refused the sign-in of ${user}${said}. Check the user name and the password.`
    const hint = 'Many providers require an app password instead of the usual one.'
    return new CodedError('mail_sign_in_refused', `${message} ${hint}`, {}, error)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return coded(
      'mail_server_unreachable',
      `There is no server named ${host}. Check the name and the network.`,
    )
  if (code === 'ECONNREFUSED')
    return coded(
      'mail_server_unreachable',
      `Nothing answers at ${server}. Check the port; the usual one is 993.`,
    )
  if (SILENT.includes(code))
    return coded('mail_server_unreachable', `${server} did not answer in time. Try again later.`)
  if (failure.tlsFailed || TLS.test(code))
    return coded(
      'mail_server_untrusted',
      `${server} cannot be trusted: ${text(failure.message)}. Check the name and the port; nothing was sent.`,
    )
  if (TOO_LARGE.includes(code))
    return coded(
      'mail_server_failed',
      `${server} sent an answer that is too large (${code}). The sync has stopped.`,
    )
  return coded(
    'mail_server_failed',
    `${server} failed: ${text(failure.message)}${said}. The next run continues.`,
  )
}

function saidBy({ responseText, response, reason }: ImapFlowError): string {
  const said = responseText ?? reason ?? (typeof response === 'string' ? response : undefined)
  return said ? ` (${text(said)})` : ''
}

/** Cleans a server's message so that it can be shown on a terminal. */
function text(said: string): string {
  return said
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .replace(/\.$/, '')
    .slice(0, MOST_TEXT)
}
