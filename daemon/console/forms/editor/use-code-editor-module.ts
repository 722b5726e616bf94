import { useEffect, useRef, useState } from 'preact/hooks';

import type * as codeEditor from './code-editor.ts';

type CodeEditorModule = typeof codeEditor;

interface LoadedModule {
  /** Undefined until it is there, and nobody is in the middle of a character. */
  readonly value: CodeEditorModule | undefined;
  /** It could not be loaded. */
  readonly isMissing: boolean;
  /** What the field that stands in for it has to tell. */
  readonly whileWaiting: {
    readonly onCompositionStart: () => void;
    readonly onCompositionEnd: () => void;
  };
}

/** Loads the editor, which is large and only needed where text is edited. */
export function useCodeEditorModule(): LoadedModule {
  const [loaded, setLoaded] = useState<CodeEditorModule | undefined>(undefined);
  const [isMissing, setMissing] = useState(false);
  // A character of several keys (input methods) would be lost with the field in which it is typed.
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
