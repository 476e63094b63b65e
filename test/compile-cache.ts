/**
 * The folder where `npm test` caches compiled code, for commands that do not inherit the environment of this process.
 */
const { NODE_COMPILE_CACHE } = process.env
export const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
