import { builtinModules } from 'node:module';

import type { Attempt } from './attempt.ts';

/** File in the data directory of the bundle that says which attempt is next: `{index, at}`. */
export const STEP_FILE = 'step.json';
/** File in the data directory to which the bundle appends one line of JSON at the begin and at the end of each attempt. */
export const REPORT_FILE = 'report.jsonl';

/** A file beside the main module, which attempts may change without hindering those after them. */
export const SPARE_FILE = { name: 'part.mjs', text: 'export {};\n' } as const;

/** A line of the report. */
export interface ReportLine {
  readonly index: number;
  /** Absent in the line that is written at the begin. */
  readonly outcome?: string;
  /** What the bundle can say about a path that is there and one that is not. */
  readonly told?: readonly [string, string];
}

/** Symbolic name of the bundle, and of the package, that makes the attempts of a category. */
export function nameAttemptBundle(category: string): string {
  return `org.example.attempts.${category}`;
}

const ATTEMPT_LIMIT_MS = 1000;
const POLL_MS = 2;

/**
 * Returns the main module of a bundle that runs attempts when it is told to, one after the other, and reports what came of them. It needs nothing
 * but a data directory, so that the same bundle runs under any supervisor; started again it leaves out the attempt that ended it.
 */
export function writeAttemptBundle(attempts: readonly Attempt[]): string {
  const functions = attempts.map(({ code }) => `  async (at) => ${code},`);
  return `${listImports().join('\n')}
const require = module.createRequire(import.meta.url);
const { appendFileSync, existsSync, readFileSync } = fs;
const { parse, stringify } = JSON;
const { inspect } = util;
const { setTimeout: later } = globalThis;
const pause = (ms) => new Promise((resolve) => later(resolve, ms));
const textOf = (value) => {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
  if (value instanceof Error) return [value.code, value.message, value.cause && textOf(value.cause)].join(' ');
  return typeof value === 'string' ? value : inspect(value, { depth: 6, maxArrayLength: 2000, maxStringLength: 20000 });
};
const settle = async (act) => {
  try {
    return 'returned ' + textOf(await act());
  } catch (error) {
    return 'threw ' + textOf(error);
  }
};
class Told {
  constructor(told) { this.told = told; }
}
// Says what a probe answers about a path that is there and one that is not.
const tell = async (at, probe, there = at.secret) => {
  const missing = there + '-missing';
  const told = [];
  const hide = (text) => [missing, there, path.basename(missing), path.basename(there)].reduce((rest, name) => rest.replaceAll(name, 'NAME'), text);
  for (const file of [there, missing]) told.push(hide(await settle(() => probe(file))));
  return new Told(told);
};
const once = (emitter, name) => new Promise((resolve, reject) => {
  emitter.once('error', reject);
  emitter.once(name, resolve);
});
const callback = (act) => new Promise((resolve, reject) => act((error, value) => (error ? reject(error) : resolve(value))));
const kept = [];
const keep = (value) => { kept.push(value); return value; };
// Finds the object below that a socket or a child process uses.
const handleOf = (owner) => owner._handle ?? Object.getOwnPropertySymbols(owner).map((key) => owner[key]?.handle).find(Boolean);
const tcpHandle = () => { const socket = keep(new net.Socket()); socket.on('error', () => {}); socket.connect({ host: 'x.invalid', port: 1, lookup() {} }); return handleOf(socket); };
const pipeHandle = () => { const server = keep(net.createServer()); server.on('error', () => {}); server.listen('\\0penstock-' + process.pid + '-' + kept.length); return handleOf(server) ?? Object.create(handleOf(process.stdout)); };
const udpHandle = (type = 'udp4') => handleOf(keep(dgram.createSocket(type)));
const ATTEMPTS = [
${functions.join('\n')}
];

process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});

export function activate({ bundle }) {
  void serve(bundle);
}

async function serve({ directory, dataDirectory }) {
  const report = dataDirectory + '/${REPORT_FILE}';
  const write = (line) => appendFileSync(report, stringify(line) + '\\n');
  const begun = new Set();
  if (existsSync(report)) for (const line of readFileSync(report, 'utf8').split('\\n')) if (line) begun.add(parse(line).index);
  for (;;) {
    const step = existsSync(dataDirectory + '/${STEP_FILE}') ? parse(readFileSync(dataDirectory + '/${STEP_FILE}', 'utf8')) : undefined;
    if (step === undefined || begun.has(step.index)) {
      await pause(${POLL_MS});
      continue;
    }
    const { index } = step;
    begun.add(index);
    write({ index });
    const at = { ...step.at, directory, dataDirectory };
    let told;
    const outcome = await Promise.race([
      settle(async () => {
        const value = await ATTEMPTS[index](at);
        if (value instanceof Told) told = value.told;
        return value;
      }),
      pause(${ATTEMPT_LIMIT_MS}).then(() => 'waits'),
    ]);
    write({ index, outcome: outcome.slice(0, 200000), told });
  }
}
`;
}

function listImports(): readonly string[] {
  return builtinModules
    .filter((name) => /^[a-z0-9_]+(\/promises)?$/.test(name) && !name.startsWith('_') && !SPECIAL.has(name))
    .map((name) => `import ${toIdentifier(name)} from 'node:${name}';`);
}

// Deprecated, or not there in every configuration.
const SPECIAL: ReadonlySet<string> = new Set(['sys', 'punycode', 'sqlite', 'constants']);

function toIdentifier(name: string): string {
  return name.replace(/[_/](\w)/g, (_match, letter: string) => letter.toUpperCase());
}
