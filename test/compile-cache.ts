/** For the environment of commands that get none of this process's: where `npm test` keeps compiled code. */
const { NODE_COMPILE_CACHE } = process.env
export const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
