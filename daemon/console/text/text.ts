/** Languages of the console; every text has all of them. */
export type Language = 'en' | 'de';

/** One text in every language. `{name}` stands for a value. */
export type Text = Readonly<Record<Language, string>>;
