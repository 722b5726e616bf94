import type { DiskSpace } from '../../../daemon/base/file/disk-space.ts';
import type { SimulatedTime } from '../world/simulated-time.ts';

const TOTAL_BYTES = 8 * 2 ** 30;
/** The reserve of the gateway, as its settings have it by default. */
export const RESERVED_BYTES = 256 * 2 ** 20;
// Room that a disk that was full needs beyond the reserve.
const RESUME_BYTES = 16 * 2 ** 20;

/** The disk of the gateway: others fill it, and it may fail. */
export class SimulatedDisk {
  readonly #time: Pick<SimulatedTime, 'monotonicMs'>;
  #freeBytes = TOTAL_BYTES / 2;
  #isFailing = false;
  #roomSinceMs: number | undefined = 0;

  constructor(time: Pick<SimulatedTime, 'monotonicMs'>) {
    this.#time = time;
  }

  /** Since when there is room for recording; undefined while there is none for certain. */
  get roomSinceMs(): number | undefined {
    return this.#roomSinceMs;
  }

  /** Fills or frees the disk. */
  setFree(bytes: number): void {
    this.#freeBytes = bytes;
    this.#note();
  }

  /** Lets the disk fail, or work again. */
  setFailing(isFailing: boolean): void {
    this.#isFailing = isFailing;
    this.#note();
  }

  readonly measure = (): Promise<DiskSpace> =>
    this.#isFailing
      ? Promise.reject(Object.assign(new Error('EIO: i/o error, statfs'), { code: 'EIO' }))
      : Promise.resolve({ freeBytes: this.#freeBytes, totalBytes: TOTAL_BYTES });

  #note(): void {
    const hasRoom = !this.#isFailing && this.#freeBytes >= RESERVED_BYTES + RESUME_BYTES;
    this.#roomSinceMs = hasRoom ? (this.#roomSinceMs ?? this.#time.monotonicMs()) : undefined;
  }
}
