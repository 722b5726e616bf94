import { readConfiguration } from '../../interface/configuration/configuration.ts';
import type { ChangeEndpoint, ChangePlan } from '../../interface/configuration/configuration.ts';
import type { ParametersOf } from '../../interface/endpoint.ts';
import { promptYesNo } from '../terminal/prompt.ts';
import { describeMade, describePlanned } from './change-text.ts';
import type { Invocation } from '../client/client-commands.ts';
import type { Options } from '../command-group.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';
import { DocumentRefused, UsageError } from '../command-error.ts';
import type { SettingOption } from '../command-line.ts';

/** Options of all commands that change the configuration. */
export const CHANGE_OPTIONS = {
  'dry-run': { help: 'show what would change; change nothing' },
  yes: { help: 'skip confirmation, even if connections restart or clients lose access' },
  'confirm-within': {
    value: 'SECONDS',
    help: 'revert unless confirmed in time with "penstock config confirm"',
  },
  'if-match': { value: 'ETAG', help: 'fail if the configuration has changed since' },
} as const satisfies Options;

/** One change of the configuration. */
export interface Change {
  readonly endpoint: ChangeEndpoint;
  /** Path and query parameters, without those common to all changes. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Content type of a text body. */
  readonly type?: string;
  /** ETag of the configuration it is based on; default: the current one. */
  readonly etag?: string | undefined;
  /** Access that the command removes explicitly; its loss needs no confirmation. */
  readonly named?: readonly string[];
  /** Item described by the options: errors of its settings name the option. */
  readonly described?: 'driver' | 'asset' | 'channel' | 'recorder';
  /** Hint printed after the change. */
  readonly next?: string;
}

/**
 * Applies a change. If connections restart or clients lose access, shows the effects and prompts for confirmation at a
 * terminal; without a terminal, losing access requires `--yes`. `--confirm-within` needs no confirmation.
 *
 * @throws {CommandError} `CONSENT_MISSING`; as the gateway refuses it
 */
export async function makeChange(invocation: Invocation, change: Change): Promise<void> {
  const { client, options, terminal, show, isJson } = invocation;
  const within = readWholeNumber(options, 'confirm-within', { unit: 'seconds', minimum: 1, maximum: 99_999 });
  const given = options['if-match'];
  const etag =
    typeof given === 'string'
      ? given
      : (change.etag ?? (await client.exchange(readConfiguration, {})).headers.etag ?? '*');
  const send = async (query: ParametersOf<ChangeEndpoint>): Promise<ChangePlan> => {
    const type: Readonly<Record<string, string>> =
      change.type === undefined ? {} : { 'Content-Type': change.type };
    const answer = await client.exchange(change.endpoint, {
      parameters: { ...change.parameters, ...query },
      headers: { 'If-Match': etag, ...type },
      body: change.body,
    });
    return answer.body;
  };
  const plan = await planChange(() => send({ dryRun: true }), change, invocation);
  if (options['dry-run'] === true) {
    show(plan, describePlanned);
    return;
  }
  const lost = (plan.cutsOff ?? []).filter((each) => change.named?.includes(each) !== true);
  const isHarmless = lost.length === 0 && (plan.restartedConnections.length === 0 || !process.stdin.isTTY);
  if (within === undefined && options['yes'] !== true && !isHarmless) {
    terminal.note(describePlanned({ ...plan, cutsOff: lost }));
    const remedy = 'repeat with --yes, or with --confirm-within SECONDS to revert it unless confirmed';
    await promptYesNo('Apply this change?', `nothing was changed; ${remedy}`, terminal);
  }
  show(await send(within === undefined ? {} : { confirmWithin: within }), describeMade);
  if (isJson) return;
  if (within !== undefined) {
    terminal.note(
      `confirm within ${within} s with "penstock config confirm"; otherwise the change is reverted\n`,
    );
  }
  if (change.next !== undefined) terminal.note(`${change.next}\n`);
}

async function planChange(
  send: () => Promise<ChangePlan>,
  { described }: Change,
  { settings }: Invocation,
): Promise<ChangePlan> {
  try {
    return await send();
  } catch (error) {
    throw described === undefined ? error : nameRefusedSettings(error, described, settings);
  }
}

/** Path prefixes, in the configuration, of the items described by options. */
const PATH_PREFIXES = {
  driver: /^drivers\[\d+\]\./,
  // Channels of an asset are not on its command line.
  asset: /^assets\[\d+\]\.(?!channels\b)/,
  recorder: /^recorders\[\d+\]\./,
  channel: /^assets\[\d+\]\.channels\[\d+\]\./,
} as const;

/** Arguments of a command that are settings too. */
const WORDS: Readonly<Record<string, string>> = { pid: 'PID', name: 'CHANNEL' };

/** Names rejected settings as typed: `--port 99999: expected at most 65535`. */
function nameRefusedSettings(
  error: unknown,
  kind: keyof typeof PATH_PREFIXES,
  settings: readonly SettingOption[],
): unknown {
  if (!(error instanceof DocumentRefused)) return error;
  const prefix = PATH_PREFIXES[kind];
  const { faults } = error;
  if (faults.length === 0 || !faults.every(({ path }) => prefix.test(path))) return error;
  const named = faults.map(({ path, message }) => {
    const name = nameSetting(path.replace(prefix, ''), settings);
    return message.startsWith('is ') ? `${name} ${message}` : `${name}: ${message}`;
  });
  return new UsageError(named.join('\n  '));
}

function nameSetting(key: string, settings: readonly SettingOption[]): string {
  const word = WORDS[key];
  if (word !== undefined) return word;
  if (key.startsWith('assets[')) return '--asset';
  const parameter = /^parameters\.(.*)$/s.exec(key)?.[1];
  if (parameter !== undefined) return `--parameter ${parameter}`;
  const wanted = normalize(key);
  const typed = settings.findLast(({ name }) => `.${wanted}`.endsWith(`.${normalize(name)}`));
  if (typed === undefined) return `--${key.replace(/^address\./, '')}`;
  return typed.text === undefined ? `--${typed.name}` : `--${typed.name} ${typed.text}`;
}

function normalize(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
