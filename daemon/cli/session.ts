import { askConsent } from './ask-consent.ts';
import { createClientVerb } from './client-verb.ts';
import { UsageError } from './command-error.ts';
import { formatLocalTime } from './local-time.ts';
import { formatTable } from './table.ts';

const PATH = '/services/session/v1/sessions';

interface SessionInfo {
  readonly id: string;
  readonly identity: string;
  readonly method: string;
  readonly address: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly isLocked: boolean;
}

/** Lists and ends sessions. */
export const session = createClientVerb('session', 'lists and ends the sessions of people', {
  list: {
    parameters: '',
    summary: 'lists the open sessions',
    text: 'LOCKED: the session can only be used to change the password. Who lacks the permission rest.identity sees the own sessions.',
    run: async ({ client, show }) => {
      const { body } = await client.send('GET', PATH);
      show((body as { readonly sessions: readonly SessionInfo[] }).sessions, formatSessions);
    },
  },
  end: {
    parameters: '[ID]',
    names: ['session'],
    summary: 'ends one session, or all sessions of an identity',
    text: 'Streams of the session end with it. Who knows the password can log in again: see "penstock identity reset-password" and "penstock token revoke".',
    options: {
      identity: { value: 'NAME', help: 'ends all sessions of this identity', names: 'identity' },
      yes: { help: 'does not ask, although somebody may be at work' },
    },
    examples: ['penstock session end --identity operator --yes'],
    run: async ({ client, words: [id], options, terminal }) => {
      const name = options['identity'] as string | undefined;
      if ((id === undefined) === (name === undefined)) {
        throw new UsageError('expected either the id of a session or --identity NAME');
      }
      if (options['yes'] !== true) {
        const what = name === undefined ? `the session ${id ?? ''}` : `all sessions of ${name}`;
        await askConsent(`End ${what}?`, 'nothing was changed; repeat it with --yes', terminal);
      }
      if (name === undefined) {
        await client.send('DELETE', `${PATH}/${encodeURIComponent(id ?? '')}`);
        terminal.note('the session was ended\n');
        return;
      }
      const { body } = await client.send('DELETE', `${PATH}?identity=${encodeURIComponent(name)}`);
      const { ended } = body as { readonly ended: number };
      terminal.note(`${ended} ${ended === 1 ? 'session' : 'sessions'} of ${name} ended\n`);
    },
  },
});

function formatSessions(sessions: readonly SessionInfo[]): string {
  return formatTable(
    [
      { title: 'ID', show: ({ id }) => id },
      { title: 'IDENTITY', show: ({ identity }) => identity },
      { title: 'BY', show: ({ method }) => method },
      { title: 'FROM', show: ({ address }) => address },
      { title: 'LAST USED', show: ({ lastUsedAt }) => formatLocalTime(lastUsedAt) },
      { title: 'ENDS BY', show: ({ expiresAt }) => formatLocalTime(expiresAt) },
      { title: 'LOCKED', isOptional: true, show: ({ isLocked }) => (isLocked ? 'yes' : '') },
    ],
    sessions,
  );
}
