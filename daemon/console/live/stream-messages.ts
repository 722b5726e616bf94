import type { SessionFields } from '../api/rest.ts';
import type { StreamEnd } from './event-stream.ts';
import type { ListenedRecord } from '../../interface/plant/listening.ts';

/** Channel record of a stream, with its asset. */
export type LiveRecord = ListenedRecord;

/** Request of the page to the worker: open a stream or resume a lost one. */
export interface StreamRequest {
  readonly path: string;
  readonly fields: SessionFields;
}

/** Message of the worker to the page. */
export type StreamMessage =
  /** Changes of 100 ms; many changes are split into several messages. */
  | { readonly kind: 'RECORDS'; readonly records: readonly LiveRecord[] }
  /** Data arrived, possibly only a keep-alive. */
  | { readonly kind: 'HEARD' }
  /** Changes are missing. */
  | { readonly kind: 'GAP'; readonly asset: string | undefined }
  /** The stream has ended; the worker expects the next request. */
  | ({ readonly kind: 'LOST' } & StreamEnd);
