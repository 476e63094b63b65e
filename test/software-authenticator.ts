import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What a page requests from the browser. */
export interface PasskeyOptions {
  challenge: string
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
  excludeCredentials?: { id: string }[]
}

/** How a manipulated answer differs from a correct one. */
export interface Dishonest {
  origin?: string
  host?: string
  challenge?: string
  type?: string
  verified?: boolean
  counter?: number
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const USER_PRESENT = 1
const USER_VERIFIED = 4
const HAS_KEY = 64

/** A passkey in memory, in the format of WebAuthn, that can also give invalid answers. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16)
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  create(options: PasskeyOptions, changes: Dishonest = {}): string {
    const authData = Buffer.concat([
      this.#authData(options.rp?.id ?? '', HAS_KEY, changes),
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      this.#coseKey(),
    ])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x58, authData.length]),
      authData,
    ])
    const clientData = this.#clientData('webauthn.create', options, changes)
    return this.#answer({ clientDataJSON: text(clientData), attestationObject: text(attestationObject) })
  }

  get(options: PasskeyOptions, changes: Dishonest = {}): string {
    const authData = this.#authData(options.rpId ?? '', 0, changes)
    const clientData = this.#clientData('webauthn.get', options, changes)
    const signed = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey)
    return this.#answer({
      clientDataJSON: text(clientData),
      authenticatorData: text(authData),
      signature: text(signed),
    })
  }

  #answer(response: Record<string, string>): string {
    const id = text(this.id)
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
  }

  #clientData(type: string, { challenge }: PasskeyOptions, changes: Dishonest): Buffer {
    const origin = changes.origin ?? this.#origin
    const said = { type: changes.type ?? type, challenge: changes.challenge ?? challenge, origin }
    return Buffer.from(JSON.stringify(said))
  }

  #authData(host: string, flags: number, { host: other, verified = true, counter }: Dishonest): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? ++this.#counter)
    const flagged = flags | USER_PRESENT | (verified ? USER_VERIFIED : 0)
    return Buffer.concat([sha256(other ?? host), Buffer.from([flagged]), count])
  }

  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    return Buffer.concat([
      Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 32]),
      Buffer.from(y, 'base64url'),
    ])
  }
}
