import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { KeptKeys, KeysReport } from './subject.ts';
import { openSigner } from './signer.ts';
import type { Signer } from './signer.ts';

// One run of what issues and verifies tokens, in a process that may be killed at any moment: `operation.ts DIRECTORY OPERATION`.
// `issue` hands a token to a client, which notes it in the file `tokens`; `rotate` and `revoke` make another key, with trust in
// the one before and without. `start` tells which tokens are valid and which key signs, and then makes another key.
const [directory = '', name = ''] = process.argv.slice(2);
const noteFile = path.join(directory, 'tokens');
const keyDirectory = path.join(directory, 'keys', 'local');

process.stdout.on('error', () => undefined);
const signer = openSigner(directory);
if (name === 'start') {
  const kept = await describeKeys();
  say({ outcome: 'COMPLETED', kept, objections: [...inspectFiles(), ...(await rotateOnceMore(kept))] });
} else {
  // The gateway knows the tokens of its clients, as it does while it runs.
  await judgeTokens(signer);
  const outcome = await operate();
  say({ outcome });
  if (outcome !== 'COMPLETED') cpSync(directory, `${directory}-at-answer`, { recursive: true });
  say({ outcome, objections: await findDivergence() });
}

async function operate(): Promise<string> {
  try {
    if (name === 'issue') appendFileSync(noteFile, `${await signer.issue()}\n`);
    else await signer.rotate(name === 'revoke');
    return 'COMPLETED';
  } catch (error) {
    return `REFUSED ${String(error)}`;
  }
}

/** Names the tokens of which the gateway thinks otherwise than one that starts now. */
async function findDivergence(): Promise<readonly string[]> {
  const [remembered, stored] = [await judgeTokens(signer), await judgeTokens(openSigner(directory))];
  return isDeepStrictEqual(remembered, stored)
    ? []
    : [`tokens are ${remembered.join(', ')} until the next start, then ${stored.join(', ')}`];
}

async function describeKeys(): Promise<KeptKeys> {
  const tokens = await judgeTokens(signer);
  const own = await signer.issue();
  if (!(await signer.isValid(own))) return { tokens, signer: 'none' };
  const position = listTokens().findIndex((token) => keyOf(token) === keyOf(own));
  return { tokens, signer: position === -1 ? 'another' : String(position) };
}

/** Names what a rotation that was cut off has left in the way of the next one. */
async function rotateOnceMore({ tokens }: KeptKeys): Promise<readonly string[]> {
  try {
    await signer.rotate(false);
  } catch (error) {
    return [`the next rotation fails: ${String(error)}`];
  }
  const now = await judgeTokens(openSigner(directory));
  const temporary = readdirSync(keyDirectory).filter((file) => file.endsWith('.tmp'));
  return [
    ...(isDeepStrictEqual(now, tokens) ? [] : [`the next rotation makes tokens ${now.join(', ')}`]),
    ...temporary.map((file) => `the next rotation leaves ${file}`),
    ...inspectFiles(),
  ];
}

/** Names the files of keys that somebody else may read. */
function inspectFiles(): readonly string[] {
  const files = readdirSync(keyDirectory).map((file) => path.join(keyDirectory, file));
  return files.filter((file) => (statSync(file).mode & 0o077) !== 0).map((file) => `others may read ${file}`);
}

async function judgeTokens(judge: Signer): Promise<KeptKeys['tokens']> {
  const verdicts: ('VALID' | 'REFUSED')[] = [];
  for (const token of listTokens()) verdicts.push((await judge.isValid(token)) ? 'VALID' : 'REFUSED');
  return verdicts;
}

function listTokens(): readonly string[] {
  if (!existsSync(noteFile)) return [];
  // A client that was killed while it noted a token has none.
  return readFileSync(noteFile, 'utf8').split('\n').slice(0, -1);
}

function keyOf(token: string): string {
  const header = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString();
  return (JSON.parse(header) as { readonly kid: string }).kid;
}

function say(report: KeysReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
