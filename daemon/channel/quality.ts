/** Value qualities, best first, as OPC UA divides its statuses (OPC 10000-4, 7.39). */
export const QUALITIES = ['GOOD', 'UNCERTAIN', 'BAD'] as const;

type Quality = (typeof QUALITIES)[number];

/** Quality of a value; a bad value is a failure instead. */
export type ValueQuality = Exclude<Quality, 'BAD'>;

/** Returns the worse of two qualities. */
export function worstQuality(one: ValueQuality, other: ValueQuality): ValueQuality {
  return one === 'GOOD' ? other : one;
}

/** State of the value of a record. */
export interface RecordQuality {
  /** Absent after a write. */
  readonly quality?: Quality | undefined;
  /** Status reported by the device, otherwise the failure code; absent for a good value without a special status. */
  readonly statusCode?: string | undefined;
}

/** The part of a channel record that determines its quality. */
interface RatedRecord {
  readonly quality?: ValueQuality | undefined;
  readonly status?: string | undefined;
  readonly failure?: { readonly code: string; readonly status?: string | undefined } | undefined;
  readonly asked?: object | undefined;
}

/** Returns the quality of a record as shown to clients: every failed read is bad. */
export function qualityOf({ quality, status, failure, asked }: RatedRecord): RecordQuality {
  if (failure === undefined) return { quality, statusCode: status };
  return { quality: asked === undefined ? 'BAD' : undefined, statusCode: failure.status ?? failure.code };
}
