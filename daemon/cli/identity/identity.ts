import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { promptNewSecret } from '../terminal/prompt.ts';
import { formatGrants, GRANT_OPTION, hasEnded, parseGrant } from './grant-text.ts';
import { grantCommands } from './identity-grants.ts';
import {
  changeIdentity,
  createIdentity,
  deleteIdentity,
  listIdentities,
  listPermissions,
  readIdentity,
} from '../../interface/security/identities.ts';
import type { UserConfig } from '../../interface/security/identities.ts';
import { suggest } from '../terminal/suggestion.ts';
import { formatTable } from '../terminal/table.ts';
import { hintUnmatched } from './unmatched-grants.ts';
import { readSecretFile } from '../terminal/text-file.ts';
import { CommandError, UsageError } from '../command-error.ts';

const PERMISSION = {
  permission: {
    value: 'NAME',
    help: 'permission, for example rest.assets',
    isRepeated: true,
    names: 'permission',
  },
} as const;
const NEW_PASSWORD_FILE = {
  'new-password-file': { value: 'FILE', help: 'read the new password from a file', names: 'file' },
} as const;
const PASSWORD = {
  password: { help: 'prompt for a password, or read it from a pipe' },
  ...NEW_PASSWORD_FILE,
  'change-needed': { help: 'require a change of the password at the first login' },
} as const;

/** Lists, creates, changes and deletes identities. */
export const identity = createCommandGroup('identity', 'list, create, change and delete identities', {
  list: {
    parameters: '',
    summary: 'list the identities',
    run: async ({ client, show }) => {
      show((await client.call(listIdentities)).userConfig, formatIdentities);
    },
  },
  show: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'show one identity',
    run: async ({ client, words: [userName = ''], show }) => {
      show(await client.call(readIdentity, {}, { userName }), formatIdentity);
    },
  },
  create: {
    parameters: 'NAME',
    summary: 'create an identity; without a password, for client certificates only',
    options: { ...PERMISSION, ...GRANT_OPTION, ...PASSWORD },
    examples: [
      'penstock identity create scada --permission rest.assets',
      "penstock identity create historian --grant 'READ:line1-*'",
    ],
    run: async (invocation) => {
      const [name = ''] = invocation.words;
      if (name.length < 3 || name.length > 255) {
        throw new UsageError(`NAME ${JSON.stringify(name)}: expected 3 to 255 characters`);
      }
      return save(invocation, createIdentity);
    },
  },
  update: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'change an identity; without an option, its value stays unchanged',
    options: {
      ...PERMISSION,
      ...GRANT_OPTION,
      ...PASSWORD,
      'no-permission': { help: 'remove all permissions' },
      'no-grant': { help: 'remove all grants' },
      'no-password': { help: 'remove the password' },
    },
    run: async (invocation) => save(invocation, changeIdentity),
  },
  ...grantCommands,
  'reset-password': {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'set a password that must be changed at the next login',
    options: NEW_PASSWORD_FILE,
    run: async ({ client, words: [userName = ''], options, terminal, show }) => {
      const password =
        (await readNewPassword(options)) ?? (await promptNewSecret(`New password of ${userName}`, terminal));
      const body = { userName, password, passwordAuthEnabled: true, passwordChangeNeeded: true };
      await client.call(changeIdentity, {}, body);
      show(await client.call(readIdentity, {}, { userName }), (info) => formatIdentities([info]));
    },
  },
  'second-factor': {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'require a second factor for an identity, or remove a lost one',
    options: {
      require: { help: 'grant no access by password until a second factor is set up' },
      optional: { help: 'make the second factor optional; keep an existing one' },
      reset: { help: 'remove the second factor and its recovery codes; end all sessions' },
    },
    text: 'Users set up their second factor themselves, in a session. Certificates and tokens need none.',
    examples: [
      'penstock identity second-factor operator --require',
      'penstock identity second-factor operator --reset',
    ],
    run: changeSecondFactor,
  },
  delete: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'delete an identity; end its sessions and revoke its tokens',
    run: async ({ client, words: [userName = ''], terminal }) => {
      await client.call(deleteIdentity, {}, { userName });
      terminal.note(`deleted identity ${userName}\n`);
    },
  },
  permissions: {
    parameters: '',
    summary: 'list the defined permissions',
    run: async ({ client, show }) => {
      show((await client.call(listPermissions)).permissions, (names) =>
        names.map((name) => `${name}\n`).join(''),
      );
    },
  },
});

async function changeSecondFactor({ client, words: [userName = ''], options, show }: Invocation) {
  const [isRequired, isOptional, isReset] = ['require', 'optional', 'reset'].map(
    (name) => options[name] === true,
  );
  if (isRequired === true && isOptional === true)
    throw new UsageError('--require and --optional are mutually exclusive');
  if (isRequired !== true && isOptional !== true && isReset !== true)
    throw new UsageError('expected --require, --optional or --reset');
  const body = {
    userName,
    ...(isRequired === true ? { secondFactorRequired: true } : {}),
    ...(isOptional === true ? { secondFactorRequired: false } : {}),
    ...(isReset === true ? { secondFactorEnabled: false } : {}),
  };
  await client.call(changeIdentity, {}, body);
  show(await client.call(readIdentity, {}, { userName }), (info) => formatIdentities([info]));
}

async function save(
  { client, words: [userName = ''], options, terminal, show }: Invocation,
  endpoint: typeof createIdentity,
) {
  const permissions = options['permission'] as readonly string[] | undefined;
  await checkPermissions(client, permissions ?? []);
  const grants = (options['grant'] as readonly string[] | undefined)?.map(parseGrant);
  for (const grant of grants ?? []) {
    if (hasEnded(grant)) terminal.note(`a grant has already expired: ${grant.until ?? ''}\n`);
  }
  const isWithout = options['no-password'] === true;
  const given = await readNewPassword(options);
  if (isWithout && (options['password'] === true || given !== undefined))
    throw new UsageError('--no-password excludes --password and --new-password-file');
  const password =
    given ??
    (options['password'] === true ? await promptNewSecret(`Password of ${userName}`, terminal) : undefined);
  const body = {
    userName,
    ...(password === undefined ? {} : { password, passwordAuthEnabled: true }),
    ...(isWithout ? { passwordAuthEnabled: false } : {}),
    ...(options['change-needed'] === true ? { passwordChangeNeeded: true } : {}),
    ...(options['no-permission'] === true ? { permissions: [] } : {}),
    ...(permissions === undefined ? {} : { permissions }),
    ...(options['no-grant'] === true ? { grants: [] } : {}),
    ...(grants === undefined ? {} : { grants }),
  };
  await client.call(endpoint, {}, body);
  show(await client.call(readIdentity, {}, { userName }), formatIdentity);
  for (const hint of await hintUnmatched(client, grants ?? [])) terminal.note(`${hint}\n`);
}

async function readNewPassword({
  'new-password-file': file,
}: Invocation['options']): Promise<string | undefined> {
  if (typeof file !== 'string') return undefined;
  const password = await readSecretFile(file, 'password file');
  if (password !== '') return password;
  throw new CommandError({ code: 'NO_INPUT', detail: `${file} is empty; expected a password` });
}

// Only permissions of the gateway can be checked; packages may add others at any time.
async function checkPermissions(client: Invocation['client'], names: readonly string[]): Promise<void> {
  const own = names.filter((name) => name.startsWith('rest.'));
  if (own.length === 0) return;
  const { permissions: known } = await client.call(listPermissions);
  const unknown = own.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`unknown permission "${unknown}"${suggest(unknown, known)}`);
}

/** Formats an identity with its grants. */
function formatIdentity(info: UserConfig): string {
  const { grants = [] } = info;
  const table = formatIdentities([info]);
  return grants.length === 0 ? table : `${table}\n${formatGrants(grants)}`;
}

function formatIdentities(identities: readonly UserConfig[]): string {
  return formatTable(
    [
      { title: 'NAME', show: ({ userName }) => userName },
      { title: 'PASSWORD', show: ({ passwordAuthEnabled }) => (passwordAuthEnabled ? 'set' : 'none') },
      { title: 'CHANGE', show: ({ passwordChangeNeeded }) => (passwordChangeNeeded ? 'needed' : '') },
      { title: 'FACTOR', isOptional: true, show: describeFactor },
      { title: 'PERMISSIONS', show: ({ permissions }) => permissions.join(' ') },
      {
        title: 'GRANTS',
        isOptional: true,
        show: ({ grants = [] }) => (grants.length === 0 ? '' : grants.length),
      },
    ],
    identities,
  );
}

function describeFactor({ secondFactorEnabled, secondFactorRequired }: UserConfig): string {
  if (secondFactorEnabled === true) return secondFactorRequired === true ? 'set, required' : 'set';
  return secondFactorRequired === true ? 'required' : '';
}
