/** Contents as the provider has them. All of it comes from outside: nothing is sure to be there. */
export interface Button {
  type?: string;
  text?: string;
  url?: string;
  phone_number?: string;
}

export interface Header {
  format?: string;
  text?: string;
  link?: string;
  id?: string;
  /** The picture or film itself, where this host has it. */
  src?: string;
}

/** What the recipient of a template sees. */
export interface Preview {
  header?: Header;
  body?: string;
  footer?: string;
  buttons?: Button[];
  cards?: { header?: Header; body?: string; buttons?: Button[] }[];
}

export interface Interactive {
  type?: string;
  header?: { type?: string; text?: string };
  body?: { text?: string };
  footer?: { text?: string };
  action?: {
    button?: string;
    buttons?: { reply?: { title?: string } }[];
    parameters?: { display_text?: string; url?: string };
    sections?: { title?: string; rows?: { title?: string; description?: string }[] }[];
  };
  button_reply?: { title?: string };
  list_reply?: { title?: string; description?: string };
  nfm_reply?: { body?: string };
}

export interface ContactCard {
  name?: { formatted_name?: string };
  org?: { company?: string };
  phones?: { phone?: string }[];
  emails?: { email?: string }[];
}

export interface Order {
  text?: string;
  product_items?: { product_retailer_id?: string; quantity?: number; item_price?: number; currency?: string }[];
}

export interface AdReferral {
  headline?: string;
  body?: string;
  source_url?: string;
}
