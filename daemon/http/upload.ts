import type { IncomingMessage } from 'node:http';
import { callbackify } from 'node:util';

import multer from 'multer';

import { GatewayError, InvalidRequest, TooLarge, Unavailable } from '../base/errors.ts';
import { HttpRefusal } from './problem.ts';

/** Where the one file of an upload goes. */
interface UploadTarget<Received> {
  /** Keeps what comes in, piece by piece. */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<Received>;
  /** Forgets what was kept: the rest of the request was not in order. */
  discard(received: Received): Promise<void>;
  readonly maximumBytes: () => number;
}

/** Form field that holds the file. */
const FIELD = 'file';
// Boundaries and header fields of the parts.
const FORM_BYTES = 65_536;
const RETRY_AFTER_SECONDS = 10;
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
 * Makes what receives a form with one file (RFC 7578) and gives the file to its target as it comes in: memory does not grow with
 * it. Whatever goes wrong, nothing is kept.
 *
 * What it makes throws {InvalidRequest} `UPLOAD_INVALID` for a form that is broken or has no field `file`; {HttpRefusal} 413 as soon
 * as too much came in, 507 when there is no room; {Unavailable} `UPLOAD_BUSY` while another upload comes in.
 */
export function createUpload<Received>(
  target: UploadTarget<Received>,
): (request: IncomingMessage) => Promise<Received> {
  let isBusy = false;
  return async (request) => {
    if (isBusy) {
      const detail = 'another upload is coming in';
      throw new Unavailable({ code: 'UPLOAD_BUSY', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    isBusy = true;
    try {
      return await receiveForm(request, target);
    } catch (error) {
      throw toRefusal(error);
    } finally {
      isBusy = false;
    }
  };
}

async function receiveForm<Received>(
  request: IncomingMessage,
  target: UploadTarget<Received>,
): Promise<Received> {
  const maximumBytes = target.maximumBytes();
  if (Number(request.headers['content-length'] ?? 0) > maximumBytes + FORM_BYTES) {
    const detail = `the file has more than ${maximumBytes} bytes`;
    throw new TooLarge({ code: 'UPLOAD_TOO_LARGE', detail });
  }
  const failed = Promise.withResolvers<never>();
  let keeping: Promise<Received> | undefined;
  const keep = (chunks: AsyncIterable<Uint8Array>): Promise<unknown> => {
    keeping = target.receive(chunks);
    // The parser would wait until the rest of the request has come in.
    keeping.catch(failed.reject);
    return keeping;
  };
  try {
    await Promise.race([parseForm(request, keep), failed.promise]);
  } catch (error) {
    // Where the file itself is at fault, that says more than what the parser makes of it.
    const received = await keeping;
    if (received !== undefined) await target.discard(received);
    throw error;
  }
  if (keeping === undefined) throw new Error('the form has no file');
  return keeping;
}

/** Resolves when the form has come in as a whole and its file is kept. */
function parseForm(
  request: IncomingMessage,
  keep: (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<void> {
  const storage: multer.StorageEngine = {
    _handleFile: (_request, file, done) => callbackify(() => keep(file.stream))((error) => done(error)),
    // The target is told once the form as a whole has failed.
    _removeFile: (_request, _file, done) => done(null),
  };
  const parse = multer({ storage, limits: LIMITS }).single(FIELD);
  return new Promise((resolve, reject) => {
    parse(request as never, {} as never, (error: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
  });
}

function toRefusal(error: unknown): unknown {
  // What is still to come is not read, so the connection cannot be used again.
  const headers = { Connection: 'close' };
  if (error instanceof TooLarge) {
    return new HttpRefusal({ status: 413, code: error.code, detail: error.detail, headers, cause: error });
  }
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && DISK_FULL.has(code)) {
    const detail = 'there is no room for the package';
    return new HttpRefusal({ status: 507, code: 'STORAGE_FULL', detail, headers, cause: error });
  }
  if (error instanceof GatewayError || isSystemError(error)) return error;
  const detail = `expected a form (multipart/form-data) with one file in the field "${FIELD}"`;
  return new InvalidRequest({ code: 'UPLOAD_INVALID', detail, cause: error });
}

function isSystemError(error: unknown): boolean {
  return typeof (error as { readonly errno?: unknown }).errno === 'number';
}
