import { askConsent } from '../ask-consent.ts';
import { askNewSecret } from '../ask-secret.ts';
import { CLIENT_OPTIONS, createClient } from '../client-options.ts';
import type { ClientValues } from '../client-options.ts';
import { CommandError } from '../command-error.ts';
import { parseOptions } from '../command-line.ts';
import type { RestClient } from '../rest-client.ts';
import { readSecretFile } from '../text-file.ts';
import type { Terminal, Verb } from '../verb.ts';
import { askWishes, isAtTerminal } from './ask-wishes.ts';
import { carryOut } from './carry-out.ts';
import { readFacts } from './facts.ts';
import type { SetupFacts } from './facts.ts';
import { planSetup } from './plan.ts';
import type { PlannedPart } from './plan.ts';
import { checkReach } from './reach.ts';
import { describeReach, formatPlan, formatReach } from './report.ts';
import { checkClientNames, collectNames } from './wishes.ts';
import type { SetupWishes } from './wishes.ts';

const USAGE = `Usage: penstock setup [OPTION...]

Sets up a gateway, as root on it: a password of the administrator, a private
authority, a certificate under every name of the machine, and clients that
authenticate with certificates. What is done already stays, so it can be
repeated, also to add a name or a client. At a terminal it asks for what the
options leave open; nothing is changed before the last question.

  --client NAME          client with the permission rest.assets and a
                         certificate; may be repeated
  --name NAME            further host name or address of the gateway; may be
                         repeated
  --password-file FILE   reads the new password of admin from a file
  --output FOLDER        each client gets a folder for its files in this one
                         (default: current folder)
  --replace              replaces certificates that setup did not make
  --dry-run              lists the steps, and changes nothing
  --yes                  asks nothing but a missing password
  --json                 prints JSON
  --config FILE          static configuration
                         (default /etc/penstock/penstock.yaml)
  --socket PATH          local socket of the gateway
`;

const OPTIONS = {
  client: { type: 'string', multiple: true, default: [] as string[] },
  name: { type: 'string', multiple: true, default: [] as string[] },
  'password-file': { type: 'string' },
  output: { type: 'string', default: '.' },
  replace: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  json: CLIENT_OPTIONS.json,
  config: { type: 'string', default: '/etc/penstock/penstock.yaml' },
  socket: CLIENT_OPTIONS.socket,
} as const;

/** Sets a gateway up, from its installation to the first client. */
export const setup: Verb = {
  name: 'setup',
  summary: 'sets up password, certificates and clients of a new gateway',
  usage: USAGE,
  async run(parameters, terminal) {
    const values = parseOptions(parameters, OPTIONS);
    checkClientNames(values.client);
    const given: SetupWishes = {
      names: collectNames(values.name),
      clients: values.client,
      output: values.output,
      isReplacing: values.replace,
    };
    const passwordFile = values['password-file'];
    const password = passwordFile === undefined ? undefined : await readPassword(passwordFile);
    const client = await createClient({ socket: values.socket } as ClientValues, terminal);
    const isAsking = isAtTerminal() && !values.yes && !values['dry-run'];
    const wishes = isAsking ? await askWishes(given, terminal) : given;
    const facts = await readFacts(values.config, wishes, client);
    const parts = planSetup(facts, wishes);
    refuse(parts, terminal);
    if (values['dry-run']) return showPlan(parts, values.json, terminal);
    const work = { facts, wishes, client, password: await choosePassword(parts, password, terminal) };
    if (isAsking && parts.some(({ step }) => step !== undefined)) {
      terminal.note(`\n${formatPlan(parts, 'to do')}`);
      await askConsent('Do this?', 'nothing was changed', terminal);
    }
    await carryOutAll(parts, work, terminal);
    await checkReach(facts, terminal.stopSignal);
    await show(parts, facts, { isJson: values.json, terminal });
  },
};

async function readPassword(file: string): Promise<string> {
  const password = await readSecretFile(file);
  if (password !== '') return password;
  throw new CommandError({ code: 'NO_INPUT', detail: `${file} is empty; expected a password` });
}

function refuse(parts: readonly PlannedPart[], terminal: Terminal): void {
  const refusals = parts.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  if (refusals.length === 0) return;
  terminal.note(formatPlan(parts, 'to do'));
  throw new CommandError({ code: 'NOT_MADE_HERE', detail: `nothing was changed: ${refusals.join('; ')}` });
}

/** Asks for a password only where one is needed, and before anything is changed. */
async function choosePassword(
  parts: readonly PlannedPart[],
  given: string | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  const isNeeded = parts.some(({ step }) => step?.kind === 'password');
  if (!isNeeded || given !== undefined) return given;
  return askNewSecret('New password of admin', terminal);
}

interface Work {
  readonly facts: SetupFacts;
  readonly wishes: SetupWishes;
  readonly client: RestClient;
  readonly password: string | undefined;
}

async function carryOutAll(parts: readonly PlannedPart[], work: Work, terminal: Terminal): Promise<void> {
  const steps = parts.flatMap(({ step, text }) => (step === undefined ? [] : [{ step, text }]));
  for (const [index, { step, text }] of steps.entries()) {
    if (terminal.stopSignal.aborted) {
      const detail = `stopped before "${text}"; what is done stays, and the same command does the rest`;
      throw new CommandError({ code: 'STOPPED', detail });
    }
    terminal.note(`${index + 1}/${steps.length} ${text}\n`);
    await carryOut(step, work);
  }
}

function showPlan(parts: readonly PlannedPart[], isJson: boolean, terminal: Terminal): void {
  terminal.print(isJson ? `${JSON.stringify(toJson(parts), null, 2)}\n` : formatPlan(parts, 'to do'));
}

async function show(
  parts: readonly PlannedPart[],
  facts: SetupFacts,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): Promise<void> {
  const reach = await describeReach(facts);
  terminal.print(
    isJson
      ? `${JSON.stringify({ ...toJson(parts), ...reach }, null, 2)}\n`
      : `${formatPlan(parts, 'done')}\n${formatReach(reach)}`,
  );
}

function toJson(parts: readonly PlannedPart[]) {
  return {
    steps: parts.map(({ text, step }) => ({ part: text, change: step !== undefined })),
  };
}
