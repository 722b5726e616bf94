import { promptYesNo, promptNewSecret } from '../terminal/prompt.ts';
import { CONFIG_OPTION, CLIENT_OPTIONS, createClient } from '../client/client-options.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { AuthorityDirectory } from '../certificate/authority-directory.ts';
import { changeAndReport, reportChanges } from '../certificate/certificate-report.ts';
import type { LockedAuthority } from '../certificate/locked-authority.ts';
import { CommandError } from '../command-error.ts';
import type { OptionValue } from '../command-line.ts';
import { GRANT_OPTION, parseGrant } from '../identity/grant-text.ts';
import { readSecretFile } from '../terminal/text-file.ts';
import type { Terminal } from '../command-group.ts';
import { promptForOptions, isAtTerminal, checkClientNames, collectNames } from './setup-options.ts';
import { carryOut } from './carry-out.ts';
import { readCurrentSetup } from './current-setup.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { CurrentSetup } from './current-setup.ts';
import { planSetup } from './plan.ts';
import type { PlannedPart } from './plan.ts';
import { waitUntilReachable } from './wait-until-reachable.ts';
import { describeAccess, formatPlan, formatAccess } from './report.ts';
import type { SetupOptions } from './setup-options.ts';

const OPTIONS = {
  client: {
    value: 'NAME',
    help: 'create a client with a certificate, and the permission rest.assets unless --grant is given',
    isRepeated: true,
  },
  ...GRANT_OPTION,
  name: { value: 'NAME', help: 'additional host name or address of the gateway', isRepeated: true },
  'password-file': { value: 'FILE', help: 'read the new password of admin from a file', names: 'file' },
  output: {
    value: 'DIRECTORY',
    help: 'directory in which each client gets a directory for its files',
    default: '.',
    names: 'file',
  },
  replace: { help: 'replace certificates that setup did not create' },
  'dry-run': { help: 'list the steps; change nothing' },
  yes: { help: 'skip all prompts except for a missing password' },
  config: CONFIG_OPTION,
  socket: CLIENT_OPTIONS.socket,
} as const;

const PASSWORD_QUESTION = 'New password of admin';

/** Sets up a gateway from its installation to the first client. */
export const setup = createCommandGroup(
  'setup',
  'set up password, certificates and clients of a new gateway',
  {
    '': {
      parameters: '',
      summary: 'set up the gateway on this machine, as root',
      text: 'Sets the password of the administrator and creates a private certificate authority, a server certificate for all names of the machine, and clients that authenticate with certificates. Completed steps are kept, so the command can be repeated, for example to add a name or a client. At a terminal it prompts for missing options; nothing is changed before the final confirmation.',
      options: OPTIONS,
      examples: ['penstock setup --client scada', 'penstock setup --name gateway.example.org --dry-run'],
      runHere: setUp,
    },
  },
);

async function setUp({ options, isJson, terminal, command }: LocalInvocation): Promise<void> {
  const clients = toList(options['client']);
  checkClientNames(clients);
  const given: SetupOptions = {
    names: collectNames(toList(options['name'])),
    clients,
    grants: toList(options['grant']).map(parseGrant),
    output: String(options['output']),
    isReplacing: options['replace'] === true,
  };
  const isDryRun = options['dry-run'] === true;
  const passwordFile = options['password-file'];
  const password = typeof passwordFile === 'string' ? await readPassword(passwordFile) : undefined;
  const client = await createClient({ socket: options['socket'] }, terminal, command);
  const isAsking = isAtTerminal() && options['yes'] !== true && !isDryRun;
  const target = isAsking ? await promptForOptions(given, terminal) : given;
  const configFile = String(options['config']);
  const current = await readCurrentSetup(configFile, target, client);
  const parts = planSetup(current, target);
  refuse(parts, terminal);
  if (isDryRun) return showPlan(parts, isJson, terminal);
  const chosen = await choosePassword(parts, password, terminal);
  if (isAsking && parts.some(({ step }) => step !== undefined)) {
    terminal.note(`\n${formatPlan(parts, 'to do')}`);
    await promptYesNo('Continue?', 'nothing was changed', terminal);
  }
  const run = { current, parts, target, client, password: chosen, configFile, terminal };
  const done = await carryOutAll({ ...run, isPasswordTyped: password === undefined });
  await waitUntilReachable(done.current, terminal.stopSignal);
  await show(done.parts, done.current, { isJson, terminal });
}

interface Run {
  readonly current: CurrentSetup;
  /** Parts as planned before the authority was locked. */
  readonly parts: readonly PlannedPart[];
  readonly target: SetupOptions;
  readonly client: RestClient;
  readonly password: string | undefined;
  readonly isPasswordTyped: boolean;
  readonly configFile: string;
  readonly terminal: Terminal;
}

/** Carries out the steps with the authority locked; keeps steps that other commands have completed. */
async function carryOutAll(
  run: Run,
): Promise<{ readonly parts: readonly PlannedPart[]; readonly current: CurrentSetup }> {
  const { parts: planned, target, client, password, configFile, terminal } = run;
  const count = planned.filter(({ step }) => step !== undefined).length;
  let index = 0;
  const announce = ({ text }: PlannedPart): void => {
    if (terminal.stopSignal.aborted) {
      const detail = `stopped before "${text}"; completed steps are kept, repeat the command to continue`;
      throw new CommandError({ code: 'STOPPED', detail });
    }
    index += 1;
    terminal.note(`${index}/${Math.max(count, index)} ${text}\n`);
  };
  const isPassword = ({ step }: PlannedPart): boolean => step?.kind === 'password';
  // Before locking the authority: a refused password changes nothing.
  for (const part of planned.filter(isPassword)) {
    announce(part);
    await setPassword(run);
  }
  const { current: before } = run;
  const work = async (authority?: LockedAuthority) => {
    const current = await readCurrentSetup(configFile, target, client);
    const parts = planSetup(current, target);
    refuse(parts, terminal);
    for (const part of parts) {
      if (part.step === undefined || isPassword(part)) continue;
      announce(part);
      await carryOut(part.step, { current, target, client, password, authority });
      await reportChanges(authority?.takeReports() ?? [], { client, terminal });
    }
    return { parts: parts.map((part, place) => Object.assign({}, planned[place], part)), current };
  };
  // Without the key nothing can be issued, and the ledger is not here either.
  if (before.isAuthorityKeyAway) return work();
  const authority = new AuthorityDirectory(before.paths.authority);
  return changeAndReport(authority, { client, terminal }, work, { isNew: true });
}

/** Sets the password of the administrator; prompts again if a typed password is refused. */
async function setPassword({ current, target, client, terminal, ...run }: Run): Promise<void> {
  for (let { password } = run; ;) {
    try {
      return await carryOut(
        { kind: 'password' },
        { current, target, client, password, authority: undefined },
      );
    } catch (error) {
      const isRefused = error instanceof CommandError && error.code === 'STATUS_400';
      if (!isRefused || !run.isPasswordTyped || !isAtTerminal()) throw error;
      terminal.note(`${error.detail}\n`);
      password = await promptNewSecret(PASSWORD_QUESTION, terminal);
    }
  }
}

function toList(value: OptionValue): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

async function readPassword(file: string): Promise<string> {
  const password = await readSecretFile(file, 'password file');
  if (password !== '') return password;
  throw new CommandError({ code: 'NO_INPUT', detail: `${file} is empty; expected a password` });
}

function refuse(parts: readonly PlannedPart[], terminal: Terminal): void {
  const refusals = parts.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  if (refusals.length === 0) return;
  terminal.note(formatPlan(parts, 'to do'));
  throw new CommandError({ code: 'NOT_MADE_HERE', detail: `nothing was changed: ${refusals.join('; ')}` });
}

/** Prompts for a password if one is needed, before any change. */
async function choosePassword(
  parts: readonly PlannedPart[],
  given: string | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  const isNeeded = parts.some(({ step }) => step?.kind === 'password');
  if (!isNeeded || given !== undefined) return given;
  return promptNewSecret(PASSWORD_QUESTION, terminal);
}

function showPlan(parts: readonly PlannedPart[], isJson: boolean, terminal: Terminal): void {
  terminal.print(isJson ? `${JSON.stringify(toJson(parts), null, 2)}\n` : formatPlan(parts, 'to do'));
}

async function show(
  parts: readonly PlannedPart[],
  current: CurrentSetup,
  { isJson, terminal }: { readonly isJson: boolean; readonly terminal: Terminal },
): Promise<void> {
  const reach = await describeAccess(current);
  terminal.print(
    isJson
      ? `${JSON.stringify({ ...toJson(parts), ...reach }, null, 2)}\n`
      : `${formatPlan(parts, 'done')}\n${formatAccess(reach)}`,
  );
}

function toJson(parts: readonly PlannedPart[]) {
  return {
    steps: parts.map(({ text, step }) => ({ part: text, change: step !== undefined })),
  };
}
