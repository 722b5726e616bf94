import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';

import type { StorageEngine } from 'multer';

import type { Clock, Cancel } from '../../../base/clock.ts';
import { GatewayError, InvalidRequest, TooLarge } from '../../../base/errors.ts';
import type { IncomingBody } from '../endpoint.ts';
import { HttpRefusal } from '../problem.ts';
import { UploadSlots } from './upload-slots.ts';

/** Time in which an upload has to progress by `MINIMUM_BYTES`; 1 KiB/s is less than any line of a plant has. */
export const PACE_WINDOW_MS = 15_000;
/** Bytes of the file that have to arrive in each window. */
const MINIMUM_BYTES = 15_360;
/** The longest time that an upload may take. */
const UPLOAD_LIMIT_MS = 3_600_000;

interface PacedUpload {
  /** Bytes of the file that have arrived so far. */
  readonly receivedBytes: () => number;
  /** True if the client has nothing to do: its bytes are queued in the gateway, or all have arrived. */
  readonly isGatewayBusy: () => boolean;
}

/** Receives the file of an upload. */
interface UploadTarget<Received> {
  /** Stores the file as it arrives. */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<Received>;
  /** Removes a stored file: the rest of the request was invalid. */
  discard(received: Received): Promise<void>;
  readonly maximumBytes: () => number;
}

/** Form field that holds the file. */
const FIELD = 'file';
// Boundaries and header fields of the parts.
const FORM_BYTES = 65_536;
const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);

const LIMITS = {
  files: 1,
  fields: 8,
  parts: 9,
  fieldNameSize: 100,
  fieldSize: 1024,
  headerPairs: 20,
} as const;

/**
 * Returns a function that receives a form with one file (RFC 7578) and passes the file to its target as it arrives, so
 * that memory does not grow with it. Several may arrive at the same time. After an error nothing is kept.
 *
 * The function throws {InvalidRequest} `UPLOAD_INVALID` for a form that is invalid or has no field `file`; {HttpRefusal} 413 as
 * soon as it is too large, 507 when the disk is full, 408 when it is too slow; and as {@link UploadSlots} do.
 */
export function createUpload<Received>(
  target: UploadTarget<Received>,
  clock: Clock,
): (incoming: IncomingBody) => Promise<Received> {
  const places = new UploadSlots(target.maximumBytes);
  return async ({ request, party, boundOwnTime }) => {
    const place = places.take(party);
    // A large file takes longer than any other request may.
    boundOwnTime();
    try {
      return await receiveForm(request, target, { clock, onBytes: (bytes) => place.grow(bytes) });
    } catch (error) {
      throw toRefusal(error);
    } finally {
      place.leave();
    }
  };
}

interface Reception {
  readonly clock: Clock;
  /** Called with the length of each part of the file before it is stored; an error that it throws refuses the form. */
  readonly onBytes: (bytes: number) => void;
}

async function receiveForm<Received>(
  request: IncomingMessage,
  target: UploadTarget<Received>,
  { clock, onBytes }: Reception,
): Promise<Received> {
  const maximumBytes = target.maximumBytes();
  if (Number(request.headers['content-length'] ?? 0) > maximumBytes + FORM_BYTES) {
    const detail = `the file is larger than ${maximumBytes} bytes`;
    throw new TooLarge({ code: 'UPLOAD_TOO_LARGE', detail });
  }
  const failed = Promise.withResolvers<never>();
  let keeping: Promise<Received> | undefined;
  let file: Readable | undefined;
  let receivedBytes = 0;
  async function* measure(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        receivedBytes += chunk.length;
        onBytes(chunk.length);
        yield chunk;
      }
    } catch (error) {
      // A form that ends within its file is an error of the file.
      throw toFormError(error);
    }
  }
  const keep = (stream: Readable): Promise<unknown> => {
    file = stream;
    keeping = target.receive(measure(stream));
    // The parser would wait for the rest of the request.
    keeping.catch(failed.reject);
    return keeping;
  };
  const upload = {
    receivedBytes: () => receivedBytes,
    isGatewayBusy: () => request.complete || (file?.readableLength ?? 0) > 0,
  };
  const endWatch = watchPace(upload, clock, (error) => {
    failed.reject(error);
    file?.destroy(error);
  });
  try {
    await Promise.race([parseForm(request, keep), failed.promise]);
  } catch (error) {
    // An error of the file itself says more than the error that the parser derives from it.
    const received = await keeping;
    if (received !== undefined) await target.discard(received);
    throw error;
  } finally {
    endWatch();
  }
  if (keeping === undefined) throw refuseForm();
  return keeping;
}

/** Resolves when the whole form was received and its file is stored. */
async function parseForm(
  request: IncomingMessage,
  keep: (file: Readable) => Promise<unknown>,
): Promise<void> {
  // Few gateways receive files, so what reads them is loaded for the first.
  const { default: multer } = await import('multer');
  const storage: StorageEngine = {
    _handleFile: (_request, file, done) => callbackify(() => keep(file.stream))((error) => done(error)),
    // The target discards the file once the whole form has failed.
    _removeFile: (_request, _file, done) => done(null),
  };
  const parse = multer({ storage, limits: LIMITS }).single(FIELD);
  await new Promise<void>((resolve, reject) => {
    parse(request as never, {} as never, (error: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(toFormError(error));
    });
  });
}

/** Returns what a parser of forms throws as the fault of the client; its errors have no class of their own. */
function toFormError(error: unknown): unknown {
  return error instanceof GatewayError || isSystemError(error) ? error : refuseForm(error);
}

function refuseForm(cause?: unknown): InvalidRequest {
  const detail = `expected a form (multipart/form-data) with one file in the field "${FIELD}"`;
  return new InvalidRequest({ code: 'UPLOAD_INVALID', detail, cause });
}

function toRefusal(error: unknown): unknown {
  // The rest is not read, so the connection cannot be reused.
  const headers = { Connection: 'close' };
  if (error instanceof TooLarge) {
    return new HttpRefusal({ status: 413, code: error.code, detail: error.detail, headers, cause: error });
  }
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && DISK_FULL.has(code)) {
    const detail = 'not enough disk space for the package';
    return new HttpRefusal({ status: 507, code: 'STORAGE_FULL', detail, headers, cause: error });
  }
  return error;
}

function isSystemError(error: unknown): boolean {
  return typeof (error as { readonly errno?: unknown }).errno === 'number';
}

/**
 * Watches that an upload arrives fast enough.
 *
 * @param onTooSlow called at most once, with the refusal: 408 `UPLOAD_TOO_SLOW`
 * @returns ends the watch
 */
function watchPace(upload: PacedUpload, clock: Clock, onTooSlow: (error: HttpRefusal) => void): Cancel {
  const startedAtMs = clock.monotonicMs();
  let before = 0;
  let cancel = clock.schedule(PACE_WINDOW_MS, check);
  return () => cancel();

  function check(): void {
    const received = upload.receivedBytes();
    const isSlow = received - before < MINIMUM_BYTES && !upload.isGatewayBusy();
    if (isSlow || clock.monotonicMs() - startedAtMs >= UPLOAD_LIMIT_MS) {
      onTooSlow(createRefusal());
      return;
    }
    before = received;
    cancel = clock.schedule(PACE_WINDOW_MS, check);
  }
}

function createRefusal(): HttpRefusal {
  const detail = `the upload is too slow: expected ${MINIMUM_BYTES / 1024} KiB in ${PACE_WINDOW_MS / 1000} s, and all of it in ${UPLOAD_LIMIT_MS / 60_000} min`;
  // The rest is not read, so the connection cannot be reused.
  return new HttpRefusal({ status: 408, code: 'UPLOAD_TOO_SLOW', detail, headers: { Connection: 'close' } });
}
