/** Where programs keep their configuration. */
export interface Folders {
  home: string
  config: string
  /** Where programs with a window of their own keep theirs. */
  desktop: string
  claude: string | undefined
  codex: string | undefined
}
