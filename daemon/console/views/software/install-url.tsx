import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

import type { installPackage } from '../../../interface/software/packages.ts';
import { useConsole } from '../../api/console-context.ts';
import { makeRequestKey } from '../../api/request-key.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';

const SCHEMES = /^(?:https?|file):/i;

/** Installs a package from a URL. */
export function InstallUrl({ onAccepted }: { readonly onAccepted: () => void }): JSX.Element {
  const { rest } = useConsole();
  const [url, setUrl] = useState('');
  const [wrong, setWrong] = useState('');
  const [words, setWords] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  // A retry with the same URL after a lost response installs once.
  const key = useRef(makeRequestKey());

  const change = (text: string): void => {
    setUrl(text);
    setWrong('');
    setWords('');
    setError(undefined);
    key.current = makeRequestKey();
  };
  const install = async (): Promise<void> => {
    const text = url.trim();
    if (!SCHEMES.test(text) || !URL.canParse(text)) {
      setWrong(fill(SOFTWARE.urlWrong, { text }));
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      await rest.call<typeof installPackage>('POST', '/services/deploy/v2/_install', {
        body: { url: text },
        headers: { 'Idempotency-Key': key.current },
      });
      change('');
      setWords(fill(SOFTWARE.accepted));
      onAccepted();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      class="install-url"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void install();
      }}
    >
      <label class="field">
        <span>{fill(SOFTWARE.url)}</span>
        <input
          type="url"
          name="url"
          autocomplete="off"
          value={url}
          aria-invalid={wrong !== ''}
          aria-describedby="url-wrong"
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </label>
      <p id="url-wrong" role="alert">
        {wrong === '' ? undefined : <StateWord tone="attention" words={wrong} />}
      </p>
      <div class="tools">
        <button type="submit" disabled={isBusy || url.trim() === ''}>
          {fill(SOFTWARE.install)}
        </button>
        <span class="soft" role="status">
          {words}
        </span>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} />}
    </form>
  );
}
