import { crc32, deflateRawSync } from 'node:zlib'

export interface Entry {
  path: string
  content: string | Uint8Array
  /** The size that the archive states, if it differs from the real one. */
  claimedSize?: number
  encrypted?: boolean
  /** Unix mode, type included: 0o120777 is a symbolic link. */
  mode?: number
  stored?: boolean
}

/** A zip as bytes. It can contain entries that real programs would refuse to write. */
export function zipOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, content, claimedSize, encrypted = false, mode = 0o100644, stored = false } of entries) {
    const name = Buffer.from(path)
    const bytes = Buffer.from(content as Uint8Array)
    const packed = stored ? bytes : deflateRawSync(bytes)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE((encrypted ? 1 : 0) | 0x800, 2)
    facts.writeUInt16LE(stored ? 0 : 8, 4)
    facts.writeUInt32LE(0x5a21_6000, 6)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(claimedSize ?? bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, packed])
    const central = Buffer.alloc(46)
    central.write('PK\x01\x02', 'latin1')
    central.writeUInt16LE(0x031e, 4)
    facts.copy(central, 6)
    central.writeUInt32LE(mode * 0x10000, 38)
    central.writeUInt32LE(offset, 42)
    parts.push(local)
    directory.push(Buffer.concat([central, name]))
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, list, end])
}

interface TarItem {
  path: string
  content?: string | Uint8Array
  /** `0` file, `2` symbolic link, `5` folder, `L` the long name of the next. */
  type?: string
  /** The size that the header states, if it differs from the real one. */
  claimedSize?: number
}

export function tarOf(items: readonly TarItem[]): Buffer {
  const parts = items.flatMap(({ path, content = '', type = '0', claimedSize }) => {
    const bytes = Buffer.from(content as Uint8Array)
    const header = Buffer.alloc(512)
    header.write(path, 0, 100)
    header.write('0000644\0', 100)
    header.write(`${(claimedSize ?? bytes.length).toString(8).padStart(11, '0')} `, 124)
    header.write('00000000000 ', 136)
    header.write('        ', 148)
    header.write(type, 156)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}
