"""Pages in a browser that reaches nothing but through us: `pool.Pool` fills the port `Renderer`."""
