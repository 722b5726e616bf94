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

/** Options of every command that changes the configuration. */
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
  /** Parameters of its path and its query, but those that every change has. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Type of a body that is a text. */
  readonly type?: string;
  /** State of the configuration that it was made from; that in force unless given. */
  readonly etag?: string | undefined;
  /** What the command itself removes, so that its loss is no surprise. */
  readonly named?: readonly string[];
  /** The item that the options of the command describe: faults of its settings are named by their options. */
  readonly described?: 'driver' | 'asset' | 'channel';
  /** Printed after the change: what can be done now. */
  readonly next?: string;
}

/**
 * Makes a change: shows its effects first and asks at a terminal when connections restart or clients are cut off; without
 * a terminal the latter needs `--yes`. A change that reverts by itself needs no consent.
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

/** Items that the options of a command describe, by the way to their settings in the configuration. */
const WAYS = {
  driver: /^drivers\[\d+\]\./,
  // Channels of an asset are not on its command line.
  asset: /^assets\[\d+\]\.(?!channels\b)/,
  channel: /^assets\[\d+\]\.channels\[\d+\]\./,
} as const;

/** Words of a command that are settings as well. */
const WORDS: Readonly<Record<string, string>> = { pid: 'PID', name: 'CHANNEL' };

/** Names the settings that the gateway has refused as they were typed: `--port 99999: expected at most 65535`. */
function nameRefusedSettings(
  error: unknown,
  kind: keyof typeof WAYS,
  settings: readonly SettingOption[],
): unknown {
  if (!(error instanceof DocumentRefused)) return error;
  const way = WAYS[kind];
  const { faults } = error;
  if (faults.length === 0 || !faults.every(({ path }) => way.test(path))) return error;
  const named = faults.map(({ path, message }) => {
    const name = nameSetting(path.replace(way, ''), settings);
    return message.startsWith('is ') ? `${name} ${message}` : `${name}: ${message}`;
  });
  return new UsageError(named.join('\n  '));
}

function nameSetting(key: string, settings: readonly SettingOption[]): string {
  const word = WORDS[key];
  if (word !== undefined) return word;
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
