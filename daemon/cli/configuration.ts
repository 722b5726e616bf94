import { askConsent } from './ask-consent.ts';
import { createClientVerb } from './client-verb.ts';
import type { Invocation } from './client-verb.ts';
import { readTextFile } from './text-file.ts';
import type { Terminal } from './verb.ts';

const ROOT = '/services/configuration/v1';

const CHANGE = {
  'dry-run': { type: 'boolean' },
  'confirm-within': { type: 'string' },
  'if-match': { type: 'string' },
  yes: { type: 'boolean' },
} as const;
const CHANGE_USAGE = `  --dry-run              shows what would change, and changes nothing
  --confirm-within N     reverts after N seconds without "config confirm"
  --if-match ETAG        fails if the configuration has changed since ETAG
  --yes                  does not ask before a change that cuts clients off
`;

/** Reads and changes the managed configuration. */
export const configuration = createClientVerb('config', 'reads and changes the managed configuration', {
  get: {
    parameters: '[SECTION] [PID]',
    summary: 'prints the configuration, a section or an item',
    run: (invocation) => printJson(pathOf(invocation.words))(invocation),
  },
  set: {
    parameters: 'FILE [SECTION] [PID]',
    summary: 'replaces all, a section or an item by a YAML or JSON file ("-": stdin)',
    options: CHANGE,
    optionsUsage: CHANGE_USAGE,
    run: async (invocation) => {
      const [file = '-', ...where] = invocation.words;
      await change(invocation, 'PUT', pathOf(where), { body: await readTextFile(file) });
    },
  },
  delete: {
    parameters: 'SECTION PID',
    summary: 'deletes an item of a section',
    options: CHANGE,
    optionsUsage: CHANGE_USAGE,
    run: (invocation) =>
      change(invocation, 'DELETE', pathOf(invocation.words), { named: `asset ${invocation.words[1] ?? ''}` }),
  },
  confirm: {
    parameters: '',
    summary: 'confirms a change that was made with --confirm-within',
    run: async ({ client, terminal }) => {
      await client.send('POST', `${ROOT}/_confirm`);
      terminal.note('confirmed\n');
    },
  },
  schema: {
    parameters: '',
    summary: 'prints the JSON Schema of the configuration',
    run: printJson(`${ROOT}/schema`),
  },
  snapshots: {
    parameters: '',
    summary: 'lists the previous configurations',
    run: printJson(`${ROOT}/snapshots`),
  },
  rollback: {
    parameters: 'ID',
    summary: 'restores a previous configuration',
    options: CHANGE,
    optionsUsage: CHANGE_USAGE,
    run: (invocation) =>
      change(
        invocation,
        'POST',
        `${ROOT}/snapshots/${encodeURIComponent(invocation.words[0] ?? '')}/_rollback`,
      ),
  },
  'tags-get': {
    parameters: 'PID',
    summary: 'prints the channels of an asset as CSV',
    run: async ({ client, words: [pid = ''], terminal }) => {
      const { body } = await client.send('GET', tagsOf(pid), { headers: { Accept: 'text/csv' } });
      terminal.print(typeof body === 'string' ? body : '');
    },
  },
  'tags-set': {
    parameters: 'PID FILE',
    summary: 'replaces the channels of an asset by those of a CSV file',
    options: CHANGE,
    optionsUsage: CHANGE_USAGE,
    run: async (invocation) => {
      const [pid = '', file = '-'] = invocation.words;
      await change(invocation, 'PUT', tagsOf(pid), { body: await readTextFile(file), type: 'text/csv' });
    },
  },
});

function pathOf(words: readonly string[]): string {
  return `${ROOT}/${words.map(encodeURIComponent).join('/')}`;
}

function tagsOf(pid: string): string {
  return `${ROOT}/assets/${encodeURIComponent(pid)}/_tags`;
}

function printJson(path: string): (invocation: Invocation) => Promise<void> {
  return async ({ client, terminal }) => {
    const { body } = await client.send('GET', path);
    terminal.print(`${JSON.stringify(body, null, 2)}\n`);
  };
}

interface Change {
  readonly body?: string;
  readonly type?: string;
  /** What the command itself names, so that its loss is no surprise. */
  readonly named?: string;
}

async function change(
  { client, options, terminal }: Invocation,
  method: string,
  path: string,
  { body, type = 'application/yaml', named }: Change = {},
): Promise<void> {
  const isDryRun = options['dry-run'] === true;
  const within = typeof options['confirm-within'] === 'string' ? options['confirm-within'] : undefined;
  const etag =
    typeof options['if-match'] === 'string'
      ? options['if-match']
      : ((await client.send('GET', `${ROOT}/`)).headers.etag ?? '*');
  const request = {
    headers: { 'If-Match': etag, ...(body === undefined ? {} : { 'Content-Type': type }) },
    body,
  };
  // A change that reverts by itself needs no consent.
  if (!isDryRun && within === undefined && options['yes'] !== true) {
    const { body: plan } = await client.send(method, `${path}?dryRun=true`, request);
    await askAboutCutOff(plan, named, terminal);
  }
  const query = new URLSearchParams();
  if (isDryRun) query.set('dryRun', 'true');
  if (within !== undefined) query.set('confirmWithin', within);
  const answer = await client.send(
    method,
    `${path}${query.size === 0 ? '' : `?${query.toString()}`}`,
    request,
  );
  if (answer.body !== undefined) terminal.print(`${JSON.stringify(answer.body, null, 2)}\n`);
}

/** Shows what clients could no longer use, and asks whether that is meant. */
async function askAboutCutOff(plan: unknown, named: string | undefined, terminal: Terminal): Promise<void> {
  // A gateway of an earlier release does not say.
  const { cutsOff = [] } = (plan ?? {}) as { readonly cutsOff?: readonly string[] };
  const lost = cutsOff.filter((each) => each !== named);
  if (lost.length === 0) return;
  terminal.note(`The change cuts clients off from:\n${lost.map((each) => `  ${each}\n`).join('')}`);
  const remedy = 'repeat it with --yes, or with --confirm-within SECONDS, after which it is reverted';
  await askConsent('Change it all the same?', `nothing was changed; ${remedy}`, terminal);
}
