import { useEffect, useRef, useState } from 'preact/hooks';

import type * as codeEditor from './code-editor.ts';

type CodeEditorModule = typeof codeEditor;

interface LoadedModule {
  /** Undefined until loaded, and during the composition of a character. */
  readonly value: CodeEditorModule | undefined;
  /** True if loading failed. */
  readonly isMissing: boolean;
  /** Composition events of the substitute field. */
  readonly whileWaiting: {
    readonly onCompositionStart: () => void;
    readonly onCompositionEnd: () => void;
  };
}

/**
 * Requests the editor, and what writes its text, before the text has arrived: over a slow link, one after the other takes the time
 * of both. Never rejects.
 */
export async function preloadCodeEditor(): Promise<void> {
  // Failing, they are requested again when they are needed.
  await Promise.allSettled([import('./code-editor.ts'), import('../write-text.ts')]);
}

/** Loads the editor on demand: it is large. */
export function useCodeEditorModule(): LoadedModule {
  const [loaded, setLoaded] = useState<CodeEditorModule | undefined>(undefined);
  const [isMissing, setMissing] = useState(false);
  // Replacing the field would lose a character under composition (input methods).
  const [isComposing, setComposing] = useState(false);
  const value = useRef<CodeEditorModule | undefined>(undefined);
  if (!isComposing) value.current ??= loaded;
  useEffect(() => {
    let isWanted = true;
    import('./code-editor.ts').then(
      (module) => isWanted && setLoaded(module),
      () => isWanted && setMissing(true),
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return {
    value: value.current,
    isMissing,
    whileWaiting: {
      onCompositionStart: () => setComposing(true),
      onCompositionEnd: () => setComposing(false),
    },
  };
}
