export const auth = {
  title: "Sign in",
};
