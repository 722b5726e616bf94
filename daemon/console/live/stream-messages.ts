import type { SessionFields } from '../api/rest.ts';
import type { ListenedRecord } from '../../interface/plant/listening.ts';

/** A record of a stream, with the asset that it belongs to. */
export type LiveRecord = ListenedRecord;

/** What the page asks of the worker: to receive a stream, or to go on with one that was lost. */
export interface StreamRequest {
  readonly path: string;
  readonly fields: SessionFields;
}

/** What the worker tells the page. */
export type StreamMessage =
  /** What changed within a tenth of a second, in several messages where it is much. */
  | { readonly kind: 'RECORDS'; readonly records: readonly LiveRecord[] }
  /** Something came, also a mere sign of life. */
  | { readonly kind: 'HEARD' }
  /** Changes are missing. */
  | { readonly kind: 'GAP'; readonly asset: string | undefined }
  /** The stream waits for the next wish. @property status of the answer; 0: the stream ended or was cut */
  | { readonly kind: 'LOST'; readonly status: number; readonly reason: string };
