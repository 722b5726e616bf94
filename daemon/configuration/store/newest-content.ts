import type { ManagedDocument } from '../managed-document.ts';
import type { StoredContent } from './snapshot-parts.ts';

/** The content of the newest snapshot while something holds its document: a change reads it several times. */
export class NewestContent {
  readonly #contents = new WeakMap<ManagedDocument, StoredContent>();
  #newest: { readonly id: number; readonly document: WeakRef<ManagedDocument> } | undefined;

  remember(id: number, content: StoredContent): void {
    this.#newest = { id, document: new WeakRef(content.document) };
    this.#contents.set(content.document, content);
  }

  /** Returns the content of a snapshot; undefined if it is not the remembered one, or has been released. */
  find(id: number): StoredContent | undefined {
    return this.#newest?.id === id ? this.findAny() : undefined;
  }

  /** Returns the remembered content, whatever its number. */
  findAny(): StoredContent | undefined {
    const document = this.#newest?.document.deref();
    return document === undefined ? undefined : this.#contents.get(document);
  }
}
