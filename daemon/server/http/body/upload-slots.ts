import { TooManyRequests, Unavailable } from '../../../base/errors.ts';
import { HttpRefusal } from '../problem.ts';

/** Uploads that may arrive at the same time. */
export const MAXIMUM_UPLOADS = 8;
/** Those of one identity: the others keep as many. */
export const MAXIMUM_UPLOADS_OF_PARTY = 4;
/** Largest files for which uploads that arrive at the same time have room on the disk. */
const MAXIMUM_FILES_OF_FULL_SIZE = 2;
const RETRY_AFTER_SECONDS = 10;

/** The place of one upload; it has to be left once. */
interface UploadSlot {
  /**
   * Counts bytes before they are stored.
   *
   * @throws {HttpRefusal} 503 `UPLOAD_BUSY` when the uploads together would hold too many
   */
  grow(bytes: number): void;
  leave(): void;
}

/** Shares out the room for uploads that arrive at the same time, by number and by bytes. */
export class UploadSlots {
  readonly #maximumFileBytes: () => number;
  readonly #partyOf = new Map<UploadSlot, string>();
  #bytes = 0;

  /** @param maximumFileBytes returns the size of the largest file that is accepted */
  constructor(maximumFileBytes: () => number) {
    this.#maximumFileBytes = maximumFileBytes;
  }

  /**
   * Takes a place.
   *
   * @param party on whose account the upload is received
   * @throws {TooManyRequests} `UPLOADS_TOO_MANY` when the party has as many as it may
   * @throws {Unavailable} `UPLOAD_BUSY` when all places are taken
   */
  take(party: string): UploadSlot {
    const own = [...this.#partyOf.values()].filter((each) => each === party);
    if (own.length >= MAXIMUM_UPLOADS_OF_PARTY) {
      const detail = `${MAXIMUM_UPLOADS_OF_PARTY} uploads of this identity are in progress`;
      throw new TooManyRequests({
        code: 'UPLOADS_TOO_MANY',
        detail,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (this.#partyOf.size >= MAXIMUM_UPLOADS) {
      const detail = `${MAXIMUM_UPLOADS} uploads are in progress`;
      throw new Unavailable({ code: 'UPLOAD_BUSY', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    let held = 0;
    const place: UploadSlot = {
      grow: (bytes) => {
        if (this.#bytes + bytes > MAXIMUM_FILES_OF_FULL_SIZE * this.#maximumFileBytes()) throw refuseBytes();
        held += bytes;
        this.#bytes += bytes;
      },
      leave: () => {
        this.#partyOf.delete(place);
        this.#bytes -= held;
        held = 0;
      },
    };
    this.#partyOf.set(place, party);
    return place;
  }
}

function refuseBytes(): HttpRefusal {
  return new HttpRefusal({
    status: 503,
    code: 'UPLOAD_BUSY',
    detail: 'too many large uploads are in progress',
    // The rest is not read, so the connection cannot be reused.
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), Connection: 'close' },
  });
}
