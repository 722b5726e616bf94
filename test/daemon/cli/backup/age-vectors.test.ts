import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';

import { AgeError } from '../../../../daemon/cli/backup/age-error.ts';
import { decryptWithPassphrase } from '../../../../daemon/cli/backup/age-file.ts';
import { checkAgeHeader, readAgeHeader } from '../../../../daemon/cli/backup/age-header.ts';
import { decryptPayload } from '../../../../daemon/cli/backup/age-payload.ts';
import { ByteSource } from '../../../../daemon/cli/backup/byte-source.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../vectors/age');

const EXPECTATIONS: Readonly<Record<string, string>> = {
  AGE_HEADER: 'header failure',
  AGE_PASSPHRASE: 'no match',
  AGE_TAMPERED: 'HMAC failure',
  AGE_PAYLOAD: 'payload failure',
};

interface Vector {
  readonly facts: ReadonlyMap<string, string>;
  readonly content: Buffer;
}

function readVector(name: string): Vector {
  const bytes = readFileSync(path.join(FOLDER, name));
  const end = bytes.indexOf('\n\n');
  const lines = bytes.subarray(0, end).toString().split('\n');
  const facts = new Map(
    lines.map((line) => {
      const [, key = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
      return [key, value] as const;
    }),
  );
  const content = bytes.subarray(end + 2);
  return { facts, content: facts.get('compressed') === 'zlib' ? inflateSync(content) : content };
}

/** Gives the bytes in pieces that end nowhere in particular. */
async function* inPieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += 50_021) {
    yield content.subarray(start, start + 50_021);
  }
}

/** Vectors for a key give the key of the file as well. */
async function* decryptWithFileKey(content: Buffer, fileKey: Buffer): AsyncGenerator<Buffer> {
  const source = new ByteSource(inPieces(content));
  checkAgeHeader(await readAgeHeader(source), fileKey);
  yield* decryptPayload(source, fileKey);
}

async function decrypt({ facts, content }: Vector): Promise<{ outcome: string; hash: string }> {
  const passphrase = facts.get('passphrase');
  const fileKey = Buffer.from(facts.get('file key') ?? '', 'hex');
  const plain =
    passphrase === undefined
      ? decryptWithFileKey(content, fileKey)
      : decryptWithPassphrase(inPieces(content), passphrase);
  const hash = createHash('sha256');
  try {
    for await (const piece of plain) hash.update(piece);
    return { outcome: 'success', hash: hash.digest('hex') };
  } catch (error) {
    if (!(error instanceof AgeError)) throw error;
    return { outcome: EXPECTATIONS[error.code] ?? error.code, hash: hash.digest('hex') };
  }
}

for (const name of readdirSync(FOLDER)) {
  const vector = readVector(name);
  const isOfKey = !vector.facts.has('passphrase') && vector.facts.get('expect') === 'no match';
  test(`the vector ${name} of age: ${vector.facts.get('expect')}`, { skip: isOfKey }, async () => {
    const { outcome, hash } = await decrypt(vector);
    assert.equal(outcome, vector.facts.get('expect'));
    // The content that comes before a fault counts as well.
    assert.equal(hash, vector.facts.get('payload') ?? hash);
  });
}
