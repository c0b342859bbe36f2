"""What a dialect is, as declared: the YAML entry and the Lark grammar, read into one `Spec`."""
