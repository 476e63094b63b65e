import { generateKeyPairSync } from 'node:crypto'

/** oidc-provider requires a key; nothing is ever signed with it, because there are no id tokens. */
export function signingKeys() {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' }] } as {
    keys: { kty: 'OKP'; crv: string; x: string; d: string; alg: string; use: 'sig' }[]
  }
}
