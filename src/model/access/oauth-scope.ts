/** The one OAuth scope: read what the grants open. Which data that is, the owner decides at consent. */
export const READ_SCOPE = 'read'
