import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';

import { AgeError, decrypt, decryptWithPassphrase } from '../../../../daemon/cli/backup/age-file.ts';

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

async function decryptVector({ facts, content }: Vector): Promise<{ outcome: string; hash: string }> {
  const passphrase = facts.get('passphrase');
  const fileKey = Buffer.from(facts.get('file key') ?? '', 'hex');
  const plain =
    passphrase === undefined
      ? // Those for a key give the key of the file as well.
        decrypt(inPieces(content), (decrypter) => decrypter.addIdentity({ unwrapFileKey: () => fileKey }))
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

const NAMES = readdirSync(FOLDER);
const WHOLE_CONTENTS = new Set([
  createHash('sha256').digest('hex'),
  ...NAMES.map((name) => readVector(name).facts.get('payload')),
]);

for (const name of NAMES) {
  const vector = readVector(name);
  const isOfKey = !vector.facts.has('passphrase') && vector.facts.get('expect') === 'no match';
  test(`the vector ${name} of age: ${vector.facts.get('expect')}`, { skip: isOfKey }, async () => {
    const { outcome, hash } = await decryptVector(vector);
    assert.equal(outcome, vector.facts.get('expect'));
    const expected = vector.facts.get('payload') ?? hash;
    if (outcome !== 'payload failure') return assert.equal(hash, expected);
    // Before a fault nothing comes but whole chunks that are authentic; the one that is in doubt need not.
    assert.ok(WHOLE_CONTENTS.has(hash), hash);
  });
}
