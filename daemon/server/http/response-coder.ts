import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

import { networkOf } from '../../base/network/network-address.ts';
import { Semaphore } from '../../base/sharing/semaphore.ts';
import { bodyOf } from './answer.ts';
import type { Answer } from './answer.ts';
import { chooseCoding, CONTENT_CODINGS, findListed, tagOfForm } from './content-coding.ts';
import type { ContentCoding } from './content-coding.ts';
import type { RequestContext } from './request-context.ts';

type Call = Pick<RequestContext, 'request' | 'endpoint' | 'remoteAddress'>;
type Pieces = NonNullable<Answer['pieces']>['parts'];

// A shorter response fits the packet that its head needs anyway.
const MINIMUM_BYTES = 1024;
// As many threads stay free for files and passwords as are taken.
const MAXIMUM_RUNNING = 2;
const MAXIMUM_WAITING = 64;
const MAXIMUM_OPEN = 16;

// A third of the time of the usual levels for a tenth more bytes; the window bounds the memory of each to 1 MiB.
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
} as const;
const GZIP = { level: 5 } as const;

const COMPRESS = {
  br: (bytes: Buffer): Promise<Buffer> => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes, GZIP),
} as const;

/**
 * Answers 304 without content if the endpoint has an entity tag and the client has named it (RFC 9110, 13.1.2): that of the
 * content, or of one of its coded forms, which the client has then.
 */
export function revalidate({ request, endpoint }: Call, answer: Answer): Answer {
  const { status, headers = {} } = answer;
  const tag = headers['ETag'];
  if (endpoint?.isTagged !== true || status !== 200 || typeof tag !== 'string') return answer;
  const tags = [tag, ...CONTENT_CODINGS.map((coding) => tagOfForm(tag, coding))];
  const known = findListed(request.headers['if-none-match'], tags);
  return known === undefined
    ? answer
    : withVary(endpoint, { status: 304, headers: { ...headers, ETag: known } });
}

/**
 * Compresses responses for clients that accept it, of endpoints that declare that nothing secret is in them. An attacker who has a
 * text of his own in a compressed response could read a secret next to it from its length (BREACH).
 */
export class ResponseCoder {
  /** Bounds the processor time that clients can demand: what finds no turn is sent as it is. */
  readonly #turns = new Semaphore({
    permits: MAXIMUM_RUNNING,
    waiting: { maximum: MAXIMUM_WAITING, createError: () => new NoTurn() },
  });
  #openCount = 0;

  /** Returns a response in the form in which it is sent. */
  code(call: Call, answer: Answer): Answer | Promise<Answer> {
    const { request, endpoint } = call;
    if (endpoint?.isCompressible !== true || answer.status !== 200) return answer;
    const varying = withVary(endpoint, answer);
    const coding = chooseCoding(request.headers['accept-encoding'], CONTENT_CODINGS);
    if (coding === undefined) return varying;
    const { pieces } = answer;
    if (pieces !== undefined) return this.#codePieces(varying, pieces, coding);
    const body = bodyOf(answer) ?? '';
    if (Buffer.byteLength(body) < MINIMUM_BYTES) return varying;
    return this.#codeBody(varying, Buffer.from(body), { coding, party: networkOf(call.remoteAddress) });
  }

  async #codeBody(
    answer: Answer,
    body: Buffer,
    { coding, party }: { readonly coding: ContentCoding; readonly party: string },
  ): Promise<Answer> {
    try {
      const bytes = await this.#turns.run(undefined, () => COMPRESS[coding](body), party);
      const coded = withCoding(answer, coding);
      return answer.csv === undefined ? { ...coded, json: bytes } : { ...coded, csv: bytes };
    } catch (error) {
      if (error instanceof NoTurn) return answer;
      throw error;
    }
  }

  #codePieces(answer: Answer, { type, parts }: NonNullable<Answer['pieces']>, coding: ContentCoding): Answer {
    if (this.#openCount >= MAXIMUM_OPEN) return answer;
    return { ...withCoding(answer, coding), pieces: { type, parts: this.#encode(parts, coding) } };
  }

  /** Each piece leaves as a whole as soon as it is made, so that a client that reads line by line does not wait for the next one. */
  async *#encode(parts: Pieces, coding: ContentCoding): AsyncGenerator<Buffer, void, undefined> {
    const encoder = new PieceEncoder(coding);
    this.#openCount += 1;
    try {
      for await (const part of parts) {
        if (part.length > 0) yield await encoder.encode(part);
      }
      yield await encoder.end();
    } finally {
      this.#openCount -= 1;
      encoder.close();
    }
  }
}

class NoTurn extends Error {}

function withVary(endpoint: Call['endpoint'], answer: Answer): Answer {
  if (endpoint?.isCompressible !== true) return answer;
  return { ...answer, headers: { ...answer.headers, Vary: 'Accept-Encoding' } };
}

function withCoding(answer: Answer, coding: ContentCoding): Answer {
  const { headers = {} } = answer;
  const tag = headers['ETag'];
  const tagged = typeof tag === 'string' ? { ...headers, ETag: tagOfForm(tag, coding) } : headers;
  return { ...answer, headers: { ...tagged, 'Content-Encoding': coding } };
}

/** Compresses a body whose pieces are made one after the other. */
class PieceEncoder {
  readonly #stream;
  readonly #flushKind: number;
  #chunks: Buffer[] = [];

  constructor(coding: ContentCoding) {
    this.#stream = coding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
    this.#flushKind = coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
    this.#stream.on('data', (chunk: Buffer) => void this.#chunks.push(chunk));
  }

  /** Returns the bytes with which a client has the whole piece. */
  encode(part: string | Buffer): Promise<Buffer> {
    return this.#collect((done) => {
      this.#stream.write(part);
      this.#stream.flush(this.#flushKind, done);
    });
  }

  /** Returns the last bytes. */
  end(): Promise<Buffer> {
    return this.#collect((done) => {
      this.#stream.once('end', done);
      this.#stream.end();
    });
  }

  /** Frees its memory. */
  close(): void {
    this.#stream.destroy();
  }

  async #collect(act: (done: () => void) => void): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.once('error', reject);
      act(() => {
        this.#stream.off('error', reject);
        resolve();
      });
    });
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return bytes;
  }
}
