import type { FileHandle } from 'node:fs/promises';

const PIECE_BYTES = 65_536;

/**
 * Reads a file from its beginning, piece by piece, and closes it.
 *
 * All pieces are in one buffer, so each is valid until the next one is requested: memory outside of the heap for each piece of a large
 * file makes the runtime collect all of its garbage several times.
 *
 * @param signal ends the reading with its reason
 */
export async function* readPieces(handle: FileHandle, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
