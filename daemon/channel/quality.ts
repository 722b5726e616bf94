/** How far values can be trusted, from the most to the least, as OPC UA divides its statuses (OPC 10000-4, 7.39). */
export const QUALITIES = ['GOOD', 'UNCERTAIN', 'BAD'] as const;

type Quality = (typeof QUALITIES)[number];

/** Quality of a value; what is bad is a failure instead. */
export type ValueQuality = Exclude<Quality, 'BAD'>;

/** What a record says about the state of its value. */
export interface RecordQuality {
  /** Absent after a write. */
  readonly quality?: Quality | undefined;
  /** The status that the device gave, else the code of the failure; absent for a good value without a special status. */
  readonly statusCode?: string | undefined;
}

/** The part of a channel record that tells its quality. */
interface RatedRecord {
  readonly quality?: ValueQuality | undefined;
  readonly status?: string | undefined;
  readonly failure?: { readonly code: string; readonly status?: string | undefined } | undefined;
  readonly asked?: object | undefined;
}

/** Returns the quality that clients see of a record: every failed read is bad. */
export function qualityOf({ quality, status, failure, asked }: RatedRecord): RecordQuality {
  if (failure === undefined) return { quality, statusCode: status };
  return { quality: asked === undefined ? 'BAD' : undefined, statusCode: failure.status ?? failure.code };
}
