import { askConsent } from '../terminal/ask.ts';
import { createClientVerb } from '../client/client-verb.ts';
import { revokeTokens, rotateSigningKey } from '../../interface/security/tokens.ts';

const YES = { yes: { help: 'does not ask, even when clients are cut off' } } as const;
const REFUSAL = 'nothing was changed; repeat it with --yes';

/** Ends tokens before they expire. */
export const token = createClientVerb('token', 'revokes tokens, and replaces the key that signs them', {
  revoke: {
    parameters: 'NAME',
    names: ['identity'],
    summary: 'voids every token that an identity has got until now',
    text: 'Its clients have to prove the identity anew: its password, certificates and sessions stay as they are.',
    options: YES,
    examples: ['penstock token revoke historian --yes'],
    run: async ({ client, words: [userName = ''], options, terminal }) => {
      if (options['yes'] !== true) await askConsent(`Revoke every token of ${userName}?`, REFUSAL, terminal);
      await client.call(revokeTokens, {}, { userName });
      terminal.note(`every token that ${userName} has got until now is void\n`);
    },
  },
  'rotate-key': {
    parameters: '',
    summary: 'creates another key that signs tokens from now on',
    text: 'Tokens of the previous key stay valid until they expire, unless --revoke is given.',
    options: {
      revoke: { help: 'ends all tokens of the previous key at once' },
      service: { value: 'PID', help: 'issuing service; unless given, the one that issues now' },
      ...YES,
    },
    examples: ['penstock token rotate-key', 'penstock token rotate-key --revoke --yes'],
    run: async ({ client, options, terminal, show }) => {
      const revoke = options['revoke'] === true;
      if (revoke && options['yes'] !== true) {
        await askConsent('End the tokens of all clients?', REFUSAL, terminal);
      }
      const service = options['service'] as string | undefined;
      const body = { revoke, ...(service === undefined ? {} : { service }) };
      const rotation = await client.call(rotateSigningKey, {}, body);
      const end = revoke ? 'are void' : 'stay valid until they expire';
      show(
        rotation,
        ({ service: pid, kid }) => `${pid} signs with the key ${kid}; tokens of the previous one ${end}\n`,
      );
    },
  },
});
