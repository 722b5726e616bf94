import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { syncDirectory } from '../../base/file/atomic-file.ts';
import { fileOfSegment } from './segment-files.ts';
import { SegmentNames } from './segment-names.ts';

interface OpenSegment {
  readonly firstSequence: number;
  readonly file: string;
  readonly handle: FileHandle;
  /** Bytes of its frames. */
  readonly length: number;
  readonly names: SegmentNames;
}

/** Appends frames to a segment; each is on disk when its call resolves. */
export class SegmentWriter {
  /** Number with which its entries begin. */
  readonly firstSequence: number;
  readonly names: SegmentNames;
  readonly #file: string;
  readonly #handle: FileHandle;
  #length: number;

  private constructor({ firstSequence, file, handle, length, names }: OpenSegment) {
    this.firstSequence = firstSequence;
    this.names = names;
    this.#file = file;
    this.#handle = handle;
    this.#length = length;
  }

  /**
   * Creates a segment, or empties one without a frame that is certainly on disk.
   *
   * @throws errors of the file system; no file is left then, if the disk lets it be removed
   */
  static async create(directory: string, firstSequence: number): Promise<SegmentWriter> {
    const file = fileOfSegment(directory, firstSequence);
    const handle = await open(file, 'w', 0o600);
    try {
      await syncDirectory(directory);
    } catch (error) {
      await handle.close();
      await unlink(file);
      throw error;
    }
    return new SegmentWriter({ firstSequence, file, handle, length: 0, names: new SegmentNames() });
  }

  /**
   * Goes on with a segment of an earlier run, and cuts what follows its last frame.
   *
   * @param state bytes up to the end of its last frame, and the names of its frames
   */
  static async resume(
    directory: string,
    firstSequence: number,
    { length, names }: Pick<OpenSegment, 'length' | 'names'>,
  ): Promise<SegmentWriter> {
    const file = fileOfSegment(directory, firstSequence);
    const handle = await open(file, 'r+');
    try {
      const { size } = await handle.stat();
      if (size > length) {
        await handle.truncate(length);
        await handle.sync();
      }
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new SegmentWriter({ firstSequence, file, handle, length, names });
  }

  /** Bytes of the frames that are on disk. */
  get length(): number {
    return this.#length;
  }

  /**
   * Appends a frame.
   *
   * @throws errors of the file system; call `abandon` then: an unknown part of the frame is on disk
   */
  async append(frame: Buffer): Promise<void> {
    let done = 0;
    while (done < frame.length) {
      const { bytesWritten } = await this.#handle.write(
        frame,
        done,
        frame.length - done,
        this.#length + done,
      );
      done += bytesWritten;
    }
    await this.#handle.datasync();
    this.#length += frame.length;
  }

  /** Closes the segment after a failed `append`: what is not on disk for certain is cut off, as far as the disk allows. */
  async abandon(): Promise<void> {
    // The next segment begins with the numbers of what stays here, and readers stop there.
    await this.#handle.truncate(this.#length).catch(() => undefined);
    await this.close();
    if (this.#length === 0) await unlink(this.#file).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}
