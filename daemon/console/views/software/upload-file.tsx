import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { makeRequestKey } from '../../api/request-key.ts';
import { FileInput } from '../../parts/file-input.tsx';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { useNow } from '../../parts/use-now.ts';
import { fill } from '../../text/fill.ts';
import { formatBytes, formatSpan } from '../../text/format.ts';
import { SOFTWARE } from '../../text/software.ts';

/** Chosen file; a retry after a lost response installs it once. */
interface Chosen {
  readonly file: File;
  readonly key: string;
}

interface Sending {
  readonly abort: AbortController;
  readonly sinceMs: number;
}

/** Uploads a package from a drop or the file chooser. */
export function UploadFile({ onAccepted }: { readonly onAccepted: () => void }): JSX.Element {
  const { rest } = useConsole();
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const [sending, setSending] = useState<Sending | undefined>(undefined);
  const [words, setWords] = useState('');
  const [wrong, setWrong] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  useRefusedDrops();

  const choose = (files: FileList | null): void => {
    const [file, second] = files ?? [];
    if (file === undefined || sending !== undefined) return;
    setError(undefined);
    setWords('');
    setWrong('');
    if (second !== undefined) setWrong(fill(SOFTWARE.onlyOne));
    else if (file.size === 0) setWrong(fill(SOFTWARE.isEmpty, { name: file.name }));
    else setChosen({ file, key: makeRequestKey() });
  };
  const forget = (): void => {
    setChosen(undefined);
    if (input.current !== null) input.current.value = '';
  };
  const send = async ({ file, key }: Chosen): Promise<void> => {
    const abort = new AbortController();
    setSending({ abort, sinceMs: Date.now() });
    setError(undefined);
    try {
      const body = new FormData();
      body.set('file', file);
      await rest.ask('POST', '/services/deploy/v2/_upload', {
        content: { type: undefined, body },
        headers: { 'Idempotency-Key': key },
        signal: abort.signal,
      });
      setWords(fill(SOFTWARE.accepted));
      forget();
      onAccepted();
    } catch (thrown) {
      if (abort.signal.aborted) setWords(fill(SOFTWARE.stopped));
      else setError(thrown);
    } finally {
      setSending(undefined);
    }
  };

  return (
    <form
      class={isOver ? 'drop over' : 'drop'}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined && sending === undefined) void send(chosen);
      }}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        choose(event.dataTransfer?.files ?? null);
      }}
    >
      <label>
        {fill(SOFTWARE.drop)} {fill(SOFTWARE.choose)}{' '}
        <FileInput
          name="file"
          accept=".dp"
          field={input}
          disabled={sending !== undefined}
          aria-invalid={wrong !== ''}
          onChange={({ currentTarget }) => choose(currentTarget.files)}
        />
      </label>
      {wrong === '' ? undefined : <Notice level="attention">{wrong}</Notice>}
      {chosen === undefined || sending !== undefined ? undefined : (
        <div class="tools">
          <span>
            {fill(SOFTWARE.chosen, { name: chosen.file.name, size: formatBytes(chosen.file.size) })}
          </span>
          <button class="main" type="submit">
            {fill(SOFTWARE.installFile, { name: chosen.file.name })}
          </button>
        </div>
      )}
      {chosen === undefined || sending === undefined ? undefined : (
        <SendingLine file={chosen.file} sending={sending} />
      )}
      <p class="soft" role="status">
        {words}
      </p>
      {error === undefined ? undefined : <FailureNotice error={error} />}
    </form>
  );
}

function SendingLine({ file, sending }: { readonly file: File; readonly sending: Sending }): JSX.Element {
  const span = formatSpan(useNow() - sending.sinceMs);
  return (
    <div class="tools">
      <span>{fill(SOFTWARE.sending, { name: file.name, size: formatBytes(file.size), span })}</span>
      <button type="button" onClick={() => sending.abort.abort()}>
        {fill(SOFTWARE.stop)}
      </button>
    </div>
  );
}

/** A file dropped outside the drop zone must not replace the page. */
function useRefusedDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent): void => event.preventDefault();
    addEventListener('dragover', refuse);
    addEventListener('drop', refuse);
    return () => {
      removeEventListener('dragover', refuse);
      removeEventListener('drop', refuse);
    };
  }, []);
}
