export const EXIT_FAILURE = 1
export const EXIT_USAGE = 64

/** An error with its own exit code that says what to do about it. */
export class ExitError extends Error {
  readonly hint: string
  readonly exitCode: number

  constructor(message: string, hint: string, exitCode: number) {
    super(message)
    this.hint = hint
    this.exitCode = exitCode
  }
}

/** A command that was called incorrectly. */
export class UsageError extends ExitError {
  constructor(message: string, hint: string) {
    super(message, hint, EXIT_USAGE)
  }
}
