import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { Notice } from '../parts/notice.tsx';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';

/** Code that is loaded on demand. */
export interface LazyCode<Code> {
  /** Undefined until it is loaded; read in a view, it renders the view again. */
  readonly value: Code | undefined;
  /** True if the latest attempt has failed. */
  readonly hasFailed: boolean;
  /** Loads the code, unless it is loaded or on its way. Never rejects. */
  load(): Promise<void>;
}

/** Describes code that `load` imports. */
export function createLazyCode<Code>(load: () => Promise<Code>): LazyCode<Code> {
  const state = signal<{ readonly code?: Code; readonly hasFailed: boolean }>({ hasFailed: false });
  let loading: Promise<void> | undefined;
  return {
    get value() {
      return state.value.code;
    },
    get hasFailed() {
      return state.value.hasFailed;
    },
    load() {
      if (state.peek().code !== undefined) return Promise.resolve();
      if (loading !== undefined) return loading;
      if (state.peek().hasFailed) state.value = { hasFailed: false };
      loading = load()
        .then(
          (code) => {
            state.value = { code, hasFailed: false };
          },
          () => {
            state.value = { hasFailed: true };
          },
        )
        .finally(() => {
          loading = undefined;
        });
      return loading;
    },
  };
}

/** Loads code for a view; after a failure, again when the gateway responds. */
export function useLazyCode<Code>(code: LazyCode<Code>): {
  readonly value: Code | undefined;
  /** True if it cannot be loaded; while the gateway is unreachable, the strip says so. */
  readonly isMissing: boolean;
} {
  const { isUp } = useConsole().rest.link.state.value;
  useEffect(() => void code.load(), [code, isUp]);
  return { value: code.value, isMissing: code.hasFailed && isUp };
}

/** Some browsers cache the failure of a file, and an upgrade renames files: only a reload helps. */
export function MissingCode(): JSX.Element {
  return (
    <Notice
      level="fault"
      actions={
        <button type="button" onClick={() => location.reload()}>
          {fill(SHELL.reload)}
        </button>
      }
    >
      {fill(SHELL.pageNotLoaded)}
    </Notice>
  );
}
