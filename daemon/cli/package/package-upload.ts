import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { openRegularFile } from '../../base/file/regular-file.ts';
import { uploadPackage } from '../../interface/software/packages.ts';
import type { RestResponse, RestClient } from '../client/rest-client.ts';
import { StreamedBody } from '../client/streamed-body.ts';
import { CommandError, describeFileFailure } from '../command-error.ts';

interface PackageUpload {
  readonly file: string;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the sent fraction of the file, 0 to 1. */
  readonly onSent: (part: number) => void;
  /** Stops the upload; the gateway discards it. */
  readonly signal: AbortSignal;
}

/**
 * Streams a package to a gateway as a form with one file (RFC 7578).
 *
 * @returns the response, after the gateway has received the whole package
 * @throws {CommandError} `FILE_UNREADABLE`; `UPLOAD_STOPPED`; errors of the gateway
 */
export async function sendPackage(
  client: RestClient,
  { file, headers: more = {}, onSent, signal }: PackageUpload,
): Promise<RestResponse> {
  const handle = await openFile(file);
  try {
    const { size } = await handle.stat();
    const boundary = randomUUID();
    // The gateway ignores the name; restrict it to characters that need no quoting.
    const name = path.basename(file).replaceAll(/[^A-Za-z0-9._-]/g, '_');
    const head = Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n',
    );
    const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    const chunks = readForm({ handle, size, head, tail, onSent });
    const body = new StreamedBody(head.length + size + tail.length, chunks);
    const headers = { ...more, 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    return await client.exchange(uploadPackage, { headers, body, signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
    const detail = `the upload of ${file} was stopped`;
    throw new CommandError({ code: 'UPLOAD_STOPPED', detail, cause });
  } finally {
    await handle.close();
  }
}

interface Form {
  readonly handle: FileHandle;
  readonly size: number;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly onSent: (part: number) => void;
}

async function* readForm({ handle, size, head, tail, onSent }: Form): AsyncGenerator<Uint8Array> {
  yield head;
  let sent = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 })) {
    const bytes = chunk as Buffer;
    yield bytes;
    sent += bytes.length;
    onSent(sent / size);
  }
  yield tail;
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await openRegularFile(file);
  } catch (cause) {
    const detail = `${file} cannot be read: ${describeFileFailure(cause)}`;
    throw new CommandError({ code: 'FILE_UNREADABLE', detail, cause });
  }
}
