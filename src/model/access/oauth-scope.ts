/** The only OAuth scope: read what was granted. The owner decides during consent which data that is. */
export const READ_SCOPE = 'read'
