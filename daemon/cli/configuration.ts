import { createClientVerb } from './client-verb.ts';
import type { Invocation } from './client-verb.ts';
import { readTextFile } from './text-file.ts';

const ROOT = '/services/configuration/v1';

const CHANGE = {
  'dry-run': { type: 'boolean' },
  'confirm-within': { type: 'string' },
  'if-match': { type: 'string' },
} as const;
const CHANGE_USAGE = `  --dry-run              shows what would change, and changes nothing
  --confirm-within N     reverts after N seconds without "config confirm"
  --if-match ETAG        fails if the configuration has changed since ETAG
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
      await change(invocation, 'PUT', pathOf(where), await readTextFile(file));
    },
  },
  delete: {
    parameters: 'SECTION PID',
    summary: 'deletes an item of a section',
    options: CHANGE,
    optionsUsage: CHANGE_USAGE,
    run: (invocation) => change(invocation, 'DELETE', pathOf(invocation.words)),
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
      await change(invocation, 'PUT', tagsOf(pid), await readTextFile(file), 'text/csv');
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

async function change(
  { client, options, terminal }: Invocation,
  method: string,
  path: string,
  body?: string,
  type = 'application/yaml',
): Promise<void> {
  const query = new URLSearchParams();
  if (options['dry-run'] === true) query.set('dryRun', 'true');
  if (typeof options['confirm-within'] === 'string') query.set('confirmWithin', options['confirm-within']);
  const etag =
    typeof options['if-match'] === 'string'
      ? options['if-match']
      : ((await client.send('GET', `${ROOT}/`)).headers.etag ?? '*');
  const answer = await client.send(method, `${path}${query.size === 0 ? '' : `?${query.toString()}`}`, {
    headers: { 'If-Match': etag, ...(body === undefined ? {} : { 'Content-Type': type }) },
    body,
  });
  if (answer.body !== undefined) terminal.print(`${JSON.stringify(answer.body, null, 2)}\n`);
}
