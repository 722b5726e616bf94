import type { Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { RequestLimit } from '../../../daemon/channel/driver.ts';
import { FUNCTIONS, contains, isSameRange } from './modbus-functions.ts';
import type { EntryRange } from './modbus-functions.ts';
import type { ReadRequest } from './request.ts';

/** Lifetime of a refused length: firmware changes, and a device may be replaced without losing its link. */
const LENGTH_LIFETIME_MS = 3_600_000;
/** Lifetime of a boundary between two areas that a device does not read together. */
const BORDER_LIFETIME_MS = 300_000;
// The parts of a request are read at once; values read much later may have changed.
const SPLIT_LIFETIME_MS = 60_000;
const MAXIMUM_SPLITS = 64;
const MAXIMUM_BORDERS = 100;

/** Reason for splitting a request: the unit refused it or answered it partly, or it timed out. */
export type SplitCause = 'REFUSED' | 'SILENT';

/** A request that failed as a whole and is sent again in parts. */
export interface RequestSplit {
  readonly request: ReadRequest;
  /** First entry of the second part. */
  readonly at: number;
  readonly cause: SplitCause;
}

/** Limits of the requests of one unit and function, as detected so far. */
export interface DetectedSizes {
  /** Longest request that was answered, in entries. */
  readonly answered: number;
  /** Shortest request that is too long, in entries; undefined if none is known. */
  readonly refused?: number | undefined;
  /** True if longer requests than the answered ones may be tried, because a refusal costs no timeout. */
  readonly mayTry: boolean;
  /** Entries before which a request must end, because the device does not read across them. */
  readonly borders: readonly number[];
}

interface RequestSizesOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Pick<Logger, 'info'>;
}

interface OpenSplit extends RequestSplit {
  readonly atMs: number;
  readonly answered: EntryRange[];
}

/** State of one function of one unit. */
interface Sizes {
  readonly unitId: number;
  readonly functionCode: ReadRequest['functionCode'];
  answered: number;
  tooLong: { readonly quantity: number; readonly cause: SplitCause; readonly untilMs: number } | undefined;
  splits: readonly OpenSplit[];
  borders: readonly { readonly at: number; readonly untilMs: number }[];
}

/**
 * Detects the maximum request length of each unit and function. Performs no I/O.
 *
 * A request is too long only if all of its entries were answered in parts and it is longer than any answered request.
 * So a missing address makes no request too long.
 */
export class RequestSizes {
  readonly #options: RequestSizesOptions;
  readonly #sizes = new Map<string, Sizes>();
  #revision = 0;

  constructor(options: RequestSizesOptions) {
    this.#options = options;
  }

  /** Changes whenever other requests may be optimal. */
  get revision(): number {
    const nowMs = this.#options.clock.monotonicMs();
    for (const sizes of this.#sizes.values()) this.#expire(sizes, nowMs);
    return this.#revision;
  }

  /** Returns the limits of a function of a unit; undefined if there are none. */
  find({ unitId, functionCode }: Pick<ReadRequest, 'unitId' | 'functionCode'>): DetectedSizes | undefined {
    const sizes = this.#sizes.get(keyOf(unitId, functionCode));
    if (sizes === undefined || (sizes.tooLong === undefined && sizes.borders.length === 0)) return undefined;
    const { answered, tooLong, borders } = sizes;
    return {
      answered,
      refused: tooLong?.quantity,
      mayTry: tooLong?.cause === 'REFUSED',
      borders: borders.map(({ at }) => at),
    };
  }

  /** Lists the longest requests of a unit, for tables on which longer ones fail; undefined if there are none. */
  list(unitId: number): readonly RequestLimit[] | undefined {
    const limits = [...this.#sizes.values()].flatMap((sizes): readonly RequestLimit[] =>
      sizes.unitId !== unitId || sizes.tooLong === undefined
        ? []
        : [{ kind: FUNCTIONS[sizes.functionCode].table, maximumQuantity: sizes.answered }],
    );
    return limits.length === 0 ? undefined : limits;
  }

  /** Records that a request failed as a whole and that its parts are sent. */
  recordSplit(split: RequestSplit): void {
    const sizes = this.#get(split.request);
    const others = sizes.splits.filter(({ request }) => !isSameRange(request, split.request));
    const atMs = this.#options.clock.monotonicMs();
    sizes.splits = [...others, { ...split, atMs, answered: [] }].slice(-MAXIMUM_SPLITS);
  }

  /** Records that entries fail on their own: they, not their number, explain failures of longer requests. */
  recordUnreadable(request: ReadRequest): void {
    const sizes = this.#get(request);
    sizes.splits = sizes.splits.filter((split) => !contains(split.request, request));
  }

  /**
   * Records a response.
   *
   * @param isSilent returns true if a range of the unit is still silent
   * @returns the longest answered request if longer ones were now found to be too long
   */
  recordResponse(request: ReadRequest, isSilent: (range: EntryRange) => boolean): number | undefined {
    const sizes = this.#get(request);
    const nowMs = this.#options.clock.monotonicMs();
    this.#recordLength(sizes, request.quantity);
    if (sizes.splits.length === 0) return undefined;
    sizes.splits = sizes.splits.filter((split) => {
      const isOpen =
        split.cause === 'SILENT' ? isSilent(split.request) : nowMs - split.atMs < SPLIT_LIFETIME_MS;
      return isOpen && !contains(request, split.request);
    });
    for (const split of sizes.splits) if (contains(split.request, request)) split.answered.push(request);
    return this.#settle(sizes, nowMs) ? sizes.answered : undefined;
  }

  /** Records that another device may respond from now on; a refused length is kept and tried again later. */
  forgetAnswered(): void {
    for (const sizes of this.#sizes.values()) {
      if (sizes.tooLong === undefined) sizes.answered = 0;
      if (sizes.borders.length > 0) this.#revision += 1;
      sizes.borders = [];
    }
  }

  #recordLength(sizes: Sizes, quantity: number): void {
    if (sizes.tooLong !== undefined && quantity >= sizes.tooLong.quantity) {
      sizes.tooLong = undefined;
      this.#revision += 1;
    }
    if (quantity <= sizes.answered) return;
    sizes.answered = quantity;
    if (sizes.tooLong !== undefined) this.#revision += 1;
  }

  // Returns true if a request was too long. Shortest first, because it explains longer ones that contain it.
  #settle(sizes: Sizes, nowMs: number): boolean {
    const whole = sizes.splits.filter(isAnsweredInParts);
    let isTooLong = false;
    for (const split of whole.toSorted((a, b) => a.request.quantity - b.request.quantity)) {
      if (!sizes.splits.includes(split)) continue;
      sizes.splits = sizes.splits.filter((one) => one !== split);
      if (split.request.quantity > sizes.answered) {
        this.#shorten(sizes, split, nowMs);
        isTooLong = true;
      } else if (split.cause === 'REFUSED') {
        this.#addBorder(sizes, split.at, nowMs);
      }
    }
    return isTooLong;
  }

  #shorten(sizes: Sizes, { request, cause }: RequestSplit, nowMs: number): void {
    const { unitId, functionCode, answered, tooLong } = sizes;
    // Retrying a length that times out would cost values.
    const untilMs = cause === 'SILENT' ? Number.POSITIVE_INFINITY : nowMs + LENGTH_LIFETIME_MS;
    const quantity = Math.min(request.quantity, tooLong?.quantity ?? request.quantity);
    sizes.tooLong = { quantity, cause, untilMs };
    this.#revision += 1;
    if (tooLong !== undefined) return;
    const { table } = FUNCTIONS[functionCode];
    this.#options.logger.info('modbus.requestsShortened', { unit: `unit ${unitId}`, table, answered });
  }

  // The unit answers longer requests, so it has separate areas that meet here.
  #addBorder(sizes: Sizes, at: number, nowMs: number): void {
    const border = { at, untilMs: nowMs + BORDER_LIFETIME_MS };
    sizes.borders = [...sizes.borders, border].slice(-MAXIMUM_BORDERS);
    sizes.splits = sizes.splits.filter(({ request }) => !isInside(at, request));
    this.#revision += 1;
  }

  #expire(sizes: Sizes, nowMs: number): void {
    const { tooLong, borders } = sizes;
    if (tooLong !== undefined && nowMs >= tooLong.untilMs) {
      sizes.tooLong = undefined;
      this.#revision += 1;
    }
    if (borders.some(({ untilMs }) => nowMs >= untilMs)) {
      sizes.borders = borders.filter(({ untilMs }) => nowMs < untilMs);
      this.#revision += 1;
    }
  }

  #get({ unitId, functionCode }: ReadRequest): Sizes {
    const key = keyOf(unitId, functionCode);
    let sizes = this.#sizes.get(key);
    if (sizes === undefined) {
      sizes = { unitId, functionCode, answered: 0, tooLong: undefined, splits: [], borders: [] };
      this.#sizes.set(key, sizes);
    }
    return sizes;
  }
}

function keyOf(unitId: number, functionCode: number): string {
  return `${unitId} ${functionCode}`;
}

function isAnsweredInParts({ request, answered }: OpenSplit): boolean {
  let end = request.offset;
  for (const part of answered.toSorted((a, b) => a.offset - b.offset)) {
    if (part.offset > end) return false;
    end = Math.max(end, part.offset + part.quantity);
  }
  return end >= request.offset + request.quantity;
}

function isInside(at: number, { offset, quantity }: EntryRange): boolean {
  return offset < at && at < offset + quantity;
}
