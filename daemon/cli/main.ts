import { readVersion } from '../base/version.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { EXIT, NotReached, PartlyFailed, Refused, UsageError } from './command-error.ts';
import type { Terminal } from './verb.ts';
import { VERBS } from './verbs.ts';

// SIGHUP comes when the terminal is closed.
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

process.exitCode = await main(process.argv.slice(2));

async function main(parameters: readonly string[]): Promise<number> {
  const [name, ...rest] = parameters;
  const terminal = createTerminal();
  if (name === '--help') return print(terminal, describeAll());
  if (name === '--version') return print(terminal, `penstock ${readVersion()}\n`);
  const verb = VERBS.find((candidate) => candidate.name === name);
  if (verb === undefined) return refuse(terminal, describeUnknown(name), describeAll());
  if (rest.includes('--help')) return print(terminal, verb.usage);
  try {
    await verb.run(rest, terminal);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) return refuse(terminal, error.detail, verb.usage);
    terminal.note(
      `penstock ${verb.name}: ${error instanceof GatewayError ? error.detail : messageOf(error)}\n`,
    );
    return statusOf(error);
  }
}

function statusOf(error: unknown): number {
  if (error instanceof NotReached) return EXIT.notReached;
  if (error instanceof Refused) return EXIT.refused;
  return error instanceof PartlyFailed ? EXIT.partly : EXIT.failed;
}

function describeAll(): string {
  const verbs = VERBS.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}\n`);
  return `Usage: penstock VERB [OPTION...]

${verbs.join('')}
  penstock VERB --help    prints the help of a verb
  penstock --version      prints the version

Exit status: 0 done, or stopped as asked; 1 failed; 2 wrong usage; 3 no answer
from the gateway; 4 not authenticated or not permitted; 5 done in part, as
printed.
`;
}

function describeUnknown(name: string | undefined): string {
  if (name === undefined) return 'a verb is missing';
  return name.startsWith('-') ? `unknown option ${name}` : `unknown verb ${name}`;
}

function refuse(terminal: Terminal, detail: string, usage: string): number {
  terminal.note(`penstock: ${detail}\n\n${usage}`);
  return EXIT.usage;
}

function print(terminal: Terminal, text: string): number {
  terminal.print(text);
  return EXIT.done;
}

function createTerminal(): Terminal {
  const stopping = new AbortController();
  for (const name of STOP_SIGNALS) {
    process.on(name, () => stopping.abort(new Error(`stopped by ${name}`)));
  }
  // The reader of the output may close it; the command goes on until it is told to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    print: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    stopSignal: stopping.signal,
  };
}
