/** The only OAuth scope: read what the grants open. The owner decides at consent which data that is. */
export const READ_SCOPE = 'read'
