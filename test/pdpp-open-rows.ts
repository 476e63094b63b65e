/** The rows that Footnote still breaks. */
export const FAILING = [25, 65, 70, 78, 85, 86, 88, 92, 96, 98, 104, 106, 107, 108].map(no => `PC-${no}`)

/** The rows that can be seen only when the profile is claimed. */
export const UNCLAIMED = [99, 100, 101, 102, 103].map(no => `PC-${no}`)
