/** For commands that do not inherit this process's environment: where `npm test` caches compiled code. */
const { NODE_COMPILE_CACHE } = process.env
export const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
