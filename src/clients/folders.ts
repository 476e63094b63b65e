/** Where programs keep their configuration. */
export interface Folders {
  home: string
  config: string
  /** Where desktop applications keep theirs. */
  desktop: string
  claude: string | undefined
  codex: string | undefined
  copilot: string | undefined
}
