/** The same keys in another language: texts stay texts, functions keep their parameters. A missing key is a type error. */
export type Translated<T> = { [K in keyof T]: T[K] extends string ? string : T[K] };
