import { promptYesNo } from '../terminal/prompt.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import { revokeTokens, rotateSigningKey } from '../../interface/security/tokens.ts';

const YES = { yes: { help: 'skip confirmation, even if clients lose access' } } as const;
const REFUSAL = 'nothing was changed; repeat with --yes';

/** Revokes tokens before they expire. */
export const token = createCommandGroup('token', 'revoke tokens; rotate the signing key', {
  revoke: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'revoke all tokens of an identity issued so far',
    text: 'Its clients must authenticate again. Its password, certificates and sessions stay valid.',
    options: YES,
    examples: ['penstock token revoke historian --yes'],
    run: async ({ client, words: [userName = ''], options, terminal }) => {
      if (options['yes'] !== true) await promptYesNo(`Revoke every token of ${userName}?`, REFUSAL, terminal);
      await client.call(revokeTokens, {}, { userName });
      terminal.note(`revoked all tokens of ${userName} issued so far\n`);
    },
  },
  'rotate-key': {
    parameters: '',
    summary: 'create a new key to sign tokens',
    text: 'Tokens of the previous key stay valid until they expire, unless --revoke is given.',
    options: {
      revoke: { help: 'revoke all tokens of the previous key at once' },
      service: { value: 'PID', help: 'token issuing service (default: the current one)' },
      ...YES,
    },
    examples: ['penstock token rotate-key', 'penstock token rotate-key --revoke --yes'],
    run: async ({ client, options, terminal, show }) => {
      const revoke = options['revoke'] === true;
      if (revoke && options['yes'] !== true) {
        await promptYesNo('End the tokens of all clients?', REFUSAL, terminal);
      }
      const service = options['service'] as string | undefined;
      const body = { revoke, ...(service === undefined ? {} : { service }) };
      const rotation = await client.call(rotateSigningKey, {}, body);
      const end = revoke ? 'are revoked' : 'stay valid until they expire';
      show(
        rotation,
        ({ service: pid, kid }) => `${pid} signs with the key ${kid}; tokens of the previous key ${end}\n`,
      );
    },
  },
});
